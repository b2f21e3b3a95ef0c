import { describe, expect, test } from 'vitest'
import { readConfig } from '../../lib/config.ts'

const issuer = { issuer: 'https://issuer.example', audience: 'api', jwksUri: 'https://issuer.example/keys' }
const minimal = {
  TABLE_NAME: 'table',
  ISSUERS: JSON.stringify([issuer]),
  SUCCESSOR_PATH: '/api/v2/sso-providers',
  DEPRECATED_AT: '2025-01-01T00:00:00Z',
}

describe('the configuration', () => {
  test('has defaults for all optional settings, also for those that are empty', () => {
    expect(readConfig({ ...minimal, SUNSET_AT: '', DOCUMENTATION_URL: '' })).toMatchObject({
      scopes: { read: 'saml-providers:read', delete: 'saml-providers:delete' },
      maxWaitMs: 28_000,
      retentionMs: 7 * 86_400_000,
      contentCodings: ['br', 'gzip'],
      deprecation: { sunsetAtMs: undefined, sunsetEnforced: false, documentationUrl: undefined },
      issuers: [{ subjectClaim: 'sub' }],
    })
  })

  const issuers = (...all: object[]) => ({ ISSUERS: JSON.stringify(all) })
  test.each([
    ['TABLE_NAME is missing', { TABLE_NAME: undefined }],
    ['TABLE_NAME must be 3 to 255 letters', { TABLE_NAME: '' }],
    ['ISSUERS is missing', { ISSUERS: undefined }],
    ['ISSUERS must be JSON', { ISSUERS: '{' }],
    ['ISSUERS must be a list', { ISSUERS: '{}' }],
    ['ISSUERS must not be empty', issuers()],
    ['ISSUERS must not name an issuer twice', issuers(issuer, issuer)],
    ['ISSUERS.0.jwksUri must be an https URL', issuers({ ...issuer, jwksUri: 'http://issuer.example/keys' })],
    ['RETENTION_DAYS must be a whole number', { RETENTION_DAYS: '1.5' }],
    ['RETENTION_DAYS must be at least 1', { RETENTION_DAYS: '0' }],
    ['MAX_WAIT_SECONDS must be at most 899', { MAX_WAIT_SECONDS: '900' }],
    [
      'ANSWER_RESERVE_MS must be less than MAX_WAIT_SECONDS',
      { ANSWER_RESERVE_MS: '5000', MAX_WAIT_SECONDS: '5' },
    ],
    ['DEPRECATED_AT is missing', { DEPRECATED_AT: undefined }],
    ['DEPRECATED_AT must be an ISO 8601 time', { DEPRECATED_AT: '2026-01-31T00:00:00+05' }],
    ['DEPRECATED_AT must be an ISO 8601 time', { DEPRECATED_AT: '2026-02-30T00:00:00Z' }],
    ['SUNSET_AT must not be earlier than DEPRECATED_AT', { SUNSET_AT: '2024-12-31T23:59:59Z' }],
    ['SUNSET_ENFORCED needs SUNSET_AT', { SUNSET_ENFORCED: 'true' }],
    ['SUNSET_ENFORCED must be true or false', { SUNSET_ENFORCED: 'yes' }],
    ['CONTENT_CODINGS must be br, gzip, both', { CONTENT_CODINGS: 'br,gzip' }],
    ['DOCUMENTATION_URL must be an https URL', { DOCUMENTATION_URL: 'javascript:alert(1)' }],
    ['DOCUMENTATION_URL must be an https URL', { DOCUMENTATION_URL: 'https://elsewhere.example/€' }],
    ['READ_SCOPE must be one scope', { READ_SCOPE: 'two scopes' }],
    ['SUCCESSOR_PATH must be a path', { SUCCESSOR_PATH: 'https://elsewhere.example' }],
    ['SUCCESSOR_PATH must be a path', { SUCCESSOR_PATH: '/api/v2/sso-providers/' }],
  ])('is refused: %s', (fault, env) => {
    expect(() => readConfig({ ...minimal, ...env })).toThrow(fault)
  })

  test('is refused with all faults in one message', () => {
    expect(() => readConfig({})).toThrow(/TABLE_NAME.*ISSUERS.*SUCCESSOR_PATH.*DEPRECATED_AT/)
  })
})
