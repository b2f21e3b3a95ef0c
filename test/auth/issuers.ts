import { expect } from 'vitest'
import { localSettings } from '../../infra/serverless/service-definition.ts'
import { readConfig } from '../../lib/config.ts'
import type { KeyPorts } from '../../lib/auth/keys/fetch-keys.ts'
import { fakeClock } from '../support/fake-clock.ts'

/** Reads issuers as the configuration does, with defaults. */
export const issuersOf = (...list: unknown[]) =>
  readConfig(localSettings({ issuers: JSON.stringify(list), tableName: 'table' }).environment).issuers

/** Reads one issuer as the configuration does. */
export const policyOf = (members: object) => issuersOf(members)[0] ?? expect.unreachable()

/** The ports of key sets; without them, a clock that stands still and no network. */
export const keyPorts = (ports: Partial<KeyPorts> = {}): KeyPorts => ({
  clock: fakeClock(),
  fetchJson: () => Promise.reject(new Error('no network')),
  ...ports,
})

/** A request without a time limit, whose log nobody reads. */
export const patient = { log: () => {}, signal: new AbortController().signal }
