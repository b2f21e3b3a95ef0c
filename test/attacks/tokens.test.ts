import { describe, expect, test } from 'vitest'
import { accepted } from '../auth/token/vectors/accepted.ts'
import { badClaims } from '../auth/token/vectors/claims.ts'
import { forged } from '../auth/token/vectors/forged.ts'
import { badFormat } from '../auth/token/vectors/format.ts'
import { badHeader } from '../auth/token/vectors/header.ts'
import { audience, good, issuer } from '../auth/token/vectors/scene.ts'
import { fromBoth, invalidToken, knowsButForbids, refuses } from './refusals.ts'
import { serviceFor } from './untouched.ts'

const inlining = serviceFor({ issuer, audience, jwks: good.jwks })
/** There is no network: a token for which keys were fetched would be answered `issuer_unavailable`. */
const fetching = serviceFor({ issuer, audience, jwksUri: `${issuer}/jwks` })
// No header line ends with a line break.
const { 'a line break at the end': _, ...malformed } = badFormat
const families = Object.entries({
  'a malformed token': malformed,
  'a token with a bad header': badHeader,
  'a token with bad claims': badClaims,
})

describe.each(families)('%s', (_, tokens) => {
  test.each(Object.entries(tokens))('%s is refused before any key is looked for', async (_, token) => {
    await refuses(fetching(), { token }, invalidToken)
  })

  test.each(Object.entries(tokens))('%s is refused where the key is at hand', async (_, token) => {
    await refuses(inlining(), { token }, invalidToken)
  })
})

describe('a forged token', () => {
  test.each(Object.entries(forged))('%s is refused where the key is at hand', async (_, token) => {
    await refuses(inlining(), { token }, invalidToken)
  })
})

test('a plausible token without a known key waits for its issuer, and is not refused', async () => {
  for (const { status, headers, text } of await fromBoth(fetching(), { token: good.sign() })) {
    const told = [status, JSON.parse(String(text)).code, headers['Retry-After']]
    expect(told).toEqual([503, 'issuer_unavailable', '55'])
    expect(headers).not.toHaveProperty('WWW-Authenticate')
  }
})

describe('a token on the good side of each boundary', () => {
  test.each(Object.entries(accepted))('%s is judged by its scopes alone', async (_, token) => {
    await knowsButForbids(inlining(), { token })
  })
})
