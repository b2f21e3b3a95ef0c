import { describe, expect, test } from 'vitest'
import { accepted } from '../auth/token/vectors/accepted.ts'
import { badClaims } from '../auth/token/vectors/claims.ts'
import { forged } from '../auth/token/vectors/forged.ts'
import { badFormat } from '../auth/token/vectors/format.ts'
import { badHeader } from '../auth/token/vectors/header.ts'
import { audience, good, issuer } from '../auth/token/vectors/fixtures.ts'
import { fromBoth, invalidToken, forbids, refuses } from './refusals.ts'
import { serviceFor } from './untouched.ts'

const inlining = serviceFor({ issuer, audience, jwks: good.jwks })
/** Without a network, a token for which keys are fetched is answered `issuer_unavailable`. */
const fetching = serviceFor({ issuer, audience, jwksUri: `${issuer}/jwks` })
// A header line cannot end with a line break.
const { 'a line break at the end': _, ...malformed } = badFormat
const families = Object.entries({
  'a malformed token': malformed,
  'a token with a bad header': badHeader,
  'a token with bad claims': badClaims,
})

describe.each(families)('%s', (_, tokens) => {
  test.each(Object.entries(tokens))('%s is refused before keys are fetched', async (_, token) => {
    await refuses(fetching(), { token }, invalidToken)
  })

  test.each(Object.entries(tokens))('%s is refused with inline keys', async (_, token) => {
    await refuses(inlining(), { token }, invalidToken)
  })
})

describe('a forged token', () => {
  test.each(Object.entries(forged))('%s is refused with inline keys', async (_, token) => {
    await refuses(inlining(), { token }, invalidToken)
  })
})

test('a well-formed token with an unknown key is answered issuer_unavailable when keys cannot be fetched', async () => {
  for (const { status, headers, text } of await fromBoth(fetching(), { token: good.sign() })) {
    const code = JSON.parse(String(text)).code
    expect([status, code, headers['Retry-After']]).toEqual([503, 'issuer_unavailable', '55'])
    expect(headers).not.toHaveProperty('WWW-Authenticate')
  }
})

describe('a token just within each boundary', () => {
  test.each(Object.entries(accepted))('%s is valid, and lacks only the scope', async (_, token) => {
    await forbids(inlining(), { token })
  })
})
