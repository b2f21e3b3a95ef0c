import { expect, test } from 'vitest'
import { announcementOf } from '../../../infra/serverless/announcement.ts'

const DEPRECATED_AT = '2026-03-01T00:00:00Z'
const SUNSET_AT = '2027-06-30T00:00:00Z'

test.each([
  [{}, true, `deprecated since ${DEPRECATED_AT}; no sunset date.`],
  [
    {},
    false,
    `deprecated since ${DEPRECATED_AT}, the default (--param deprecatedAt=TIME sets it); no sunset date.`,
  ],
  [
    { SUNSET_AT, SUNSET_ENFORCED: 'false' },
    true,
    `deprecated since ${DEPRECATED_AT}; sunset at ${SUNSET_AT}.`,
  ],
  [
    { SUNSET_AT, SUNSET_ENFORCED: 'true' },
    true,
    `deprecated since ${DEPRECATED_AT}; sunset at ${SUNSET_AT}, enforced.`,
  ],
])('the deprecation of %j, set by the user: %s, is announced as: %s', (variables, isSet, sentence) => {
  expect(announcementOf({ DEPRECATED_AT, ...variables }, isSet)).toBe(`The answers announce: ${sentence}`)
})
