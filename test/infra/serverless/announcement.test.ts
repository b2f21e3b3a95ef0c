import { expect, test } from 'vitest'
import { announcementOf, summaryOf } from '../../../infra/serverless/announcement.ts'

const DEPRECATED_AT = '2026-03-01T00:00:00Z'
const SUNSET_AT = '2027-06-30T00:00:00Z'

test.each([
  [{}, true, '; no sunset date.'],
  [{}, false, ', the default (--param deprecatedAt=TIME sets it); no sunset date.'],
  [{ SUNSET_AT, SUNSET_ENFORCED: 'false' }, true, `; sunset at ${SUNSET_AT}.`],
  [{ SUNSET_AT, SUNSET_ENFORCED: 'true' }, true, `; sunset at ${SUNSET_AT}, enforced.`],
])('the deprecation of %j, set by the user: %s, is announced with %s', (variables, isSet, rest) => {
  const sentence = `The answers announce: deprecated since ${DEPRECATED_AT}${rest}`
  expect(announcementOf({ DEPRECATED_AT, ...variables }, isSet)).toBe(sentence)
})

test('a deployment ends with its outputs, those that the endpoint lacks included, and the next step', () => {
  expect(summaryOf({ ListUrl: 'https://list', DeleteUrl: 'https://delete/', TableName: 't' })).toBe(`
ListUrl       https://list
DeleteUrl     https://delete/
TableName     t
DashboardUrl  not available from this endpoint

Next: check it with a token that has the scope for listing. The check only reads.

npm run --silent smoke -- --url https://list --token TOKEN`)
})
