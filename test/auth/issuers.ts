import { readConfig } from '../../lib/config.ts'
import type { KeyPorts } from '../../lib/auth/keys/fetch-keys.ts'
import { fakeClock } from '../support/fake-clock.ts'

const rest = {
  TABLE_NAME: 'table',
  SUCCESSOR_PATH: '/api/v2/sso-providers',
  DEPRECATED_AT: '2026-01-01T00:00:00Z',
}

/** Reads issuers as the configuration does, with defaults. */
export const issuersOf = (...list: unknown[]) =>
  readConfig({ ...rest, ISSUERS: JSON.stringify(list) }).issuers

/** Reads one issuer as the configuration does. */
export function policyOf(members: object) {
  const [issuer] = issuersOf(members)
  if (issuer === undefined) throw new Error('no issuer')
  return issuer
}

/** The ports of key sets; without them, a clock that stands still and no network. */
export const keyPorts = (ports: Partial<KeyPorts> = {}): KeyPorts => ({
  clock: fakeClock(),
  fetchJson: () => Promise.reject(new Error('no network')),
  ...ports,
})

/** A request without a time limit, whose log nobody reads. */
export const patient = { log: () => {}, signal: new AbortController().signal }
