import { expect, test } from 'vitest'
import { localSettings } from '../../infra/serverless/service-definition.ts'
import { readConfig } from '../../lib/config.ts'

const issuer = { issuer: 'https://issuer.example', audience: 'api', jwksUri: 'https://issuer.example/keys' }
const valid = localSettings({ tableName: 'table', issuers: JSON.stringify([issuer]) }).environment

test('the configuration has the defaults of serverless.yml, where an empty setting is absent', () => {
  expect([valid.SUNSET_AT, valid.DOCUMENTATION_URL]).toEqual(['', ''])
  expect(readConfig(valid)).toMatchObject({
    scopes: { read: 'saml-providers:read', delete: 'saml-providers:delete' },
    maxWaitMs: 28_000,
    retentionMs: 7 * 86_400_000,
    contentCodings: ['br', 'gzip'],
    deprecation: { sunsetAtMs: undefined, isRetired: false, documentationUrl: undefined },
  })
})

test.each([
  ['identity', []],
  ['gzip', ['gzip']],
])('the configuration has the content codings of %s', (CONTENT_CODINGS, contentCodings) => {
  expect(readConfig({ ...valid, CONTENT_CODINGS })).toMatchObject({ contentCodings })
})

test.each([
  ['a successor at a port', { SUCCESSOR_PATH: 'https://elsewhere.example:8443/v2' }],
  ['a sunset at the moment of the deprecation', { SUNSET_AT: valid.DEPRECATED_AT }],
])('the configuration may have %s', (_, env) => {
  readConfig({ ...valid, ...env })
})

test.each([
  ['TABLE_NAME is missing', { TABLE_NAME: undefined }],
  ['TABLE_NAME must be 3 to 255 letters', { TABLE_NAME: '' }],
  ['TABLE_NAME must be 3 to 255 letters', { TABLE_NAME: 'table/' }],
  ['ISSUERS is missing', { ISSUERS: undefined }],
  ['ISSUERS is required', { ISSUERS: '' }],
  ['ISSUERS must be JSON', { ISSUERS: '{' }],
  ['ISSUERS must be a list', { ISSUERS: '{}' }],
  ['ISSUERS must not be empty', { ISSUERS: '[]' }],
  ['RETENTION_DAYS must be a whole number', { RETENTION_DAYS: '1.5' }],
  ['RETENTION_DAYS must be at least 1', { RETENTION_DAYS: '0' }],
  ['MAX_WAIT_SECONDS must be at most 899', { MAX_WAIT_SECONDS: '900' }],
  ['DEPRECATED_AT is missing', { DEPRECATED_AT: undefined }],
  ['DEPRECATED_AT must be an ISO 8601 time', { DEPRECATED_AT: '2026-01-31T00:00:00+05' }],
  ['DEPRECATED_AT must be an ISO 8601 time', { DEPRECATED_AT: '2026-02-30T00:00:00Z' }],
  ['SUNSET_AT must not be earlier than DEPRECATED_AT', { SUNSET_AT: '2024-12-31T23:59:59Z' }],
  ['RETIRED must be true or false', { RETIRED: 'yes' }],
  ['CONTENT_CODINGS must be br, gzip, both', { CONTENT_CODINGS: 'br,gzip' }],
  ['DOCUMENTATION_URL must be an https URL', { DOCUMENTATION_URL: 'javascript:alert(1)' }],
  ['DOCUMENTATION_URL must be an https URL', { DOCUMENTATION_URL: 'javascript:https://elsewhere.example' }],
  ['DOCUMENTATION_URL must be an https URL', { DOCUMENTATION_URL: 'https://elsewhere.example/€' }],
  ['READ_SCOPE must be one scope', { READ_SCOPE: 'two scopes' }],
  ['SUCCESSOR_PATH must be a path', { SUCCESSOR_PATH: 'https://elsewhere.example' }],
  ['SUCCESSOR_PATH must be a path', { SUCCESSOR_PATH: '/api/v2/sso-providers/' }],
])('the configuration is refused: %s', (fault, env) => {
  expect(() => readConfig({ ...valid, ...env })).toThrow(fault)
})

test('the configuration is refused with all faults in one message', () => {
  for (const name of Object.keys(valid).filter(name => !['SUNSET_AT', 'DOCUMENTATION_URL'].includes(name)))
    expect(() => readConfig({})).toThrow(`${name} is missing`)
})
