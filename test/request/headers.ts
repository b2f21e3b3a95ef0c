import { expect } from 'vitest'

/** The optional settings of a migration. */
export const migrating = {
  SUNSET_AT: '2027-06-30T00:00:00Z',
  DOCUMENTATION_URL: 'https://docs.example/migrate',
}

/** The headers of every answer of both endpoints with these settings. */
export const headersOfEveryAnswer = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': expect.stringMatching(/^max-age=\d+/),
  Vary: 'Prefer, Accept-Encoding',
  'X-Request-Id': 'request-1',
  Deprecation: '@1735689600',
  Sunset: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} 00:00:00 GMT$/),
  Link: '</api/v2/sso-providers>; rel="successor-version", <https://docs.example/migrate>; rel="deprecation"; type="text/html"',
}
