import { expect, test } from 'vitest'
import { announcementOf, summaryOf } from '../../../infra/serverless/announcement.ts'

const DEPRECATED_AT = '2026-03-01T00:00:00Z'
const SUNSET_AT = '2027-06-30T00:00:00Z'

test.each([
  [{}, { deprecatedAt: DEPRECATED_AT }, '; no sunset date.'],
  [{}, {}, ', the default (deprecatedAt sets it); no sunset date.'],
  [{ SUNSET_AT, SUNSET_ENFORCED: 'false' }, {}, `sets it); sunset at ${SUNSET_AT}.`],
  [{ SUNSET_AT, SUNSET_ENFORCED: 'true' }, {}, `sets it); sunset at ${SUNSET_AT}, enforced.`],
])('the deprecation of %j with the parameters %j is announced with %s', (more, Parameters, rest) => {
  const Environment = { Variables: { DEPRECATED_AT, ...more } }
  const Resources = { ListSamlProvidersLambdaFunction: { Properties: { Environment } } }
  const sentence = announcementOf({ Resources, Metadata: { Parameters } })
  expect(sentence).toContain(`The answers announce: deprecated since ${DEPRECATED_AT}`)
  expect(sentence.endsWith(rest)).toBe(true)
})

test('a deployment ends with its outputs, those that the endpoint lacks included, and the next step', () => {
  expect(summaryOf({ ListUrl: 'https://list', DeleteUrl: 'https://delete/', TableName: 't' })).toBe(`
ListUrl       https://list
DeleteUrl     https://delete/
TableName     t
DashboardUrl  not among the outputs

Next: check it. TOKEN is an access token with the scope for listing. The check only reads.

read -rs TOKEN; export TOKEN
npm run --silent smoke -- --url https://list`)
})
