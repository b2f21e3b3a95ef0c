import { readConfig } from '../../lib/config.ts'

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
