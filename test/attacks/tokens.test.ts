import { expect, test } from 'vitest'
import { accepted } from '../auth/vectors/accepted.ts'
import { badClaims } from '../auth/vectors/claims.ts'
import { forged } from '../auth/vectors/forged.ts'
import { badFormat } from '../auth/vectors/format.ts'
import { badHeader } from '../auth/vectors/header.ts'
import { audience, good, issuer } from '../auth/vectors/scene.ts'
import { answersTo, asTokens, invalidToken, refusesAll, service } from './refusals.ts'

const inlined = { issuer, audience, jwks: good.jwks }
/** There is no network: a token for which keys were fetched would be answered `issuer_unavailable`. */
const fetching = { issuer, audience, jwksUri: `${issuer}/jwks` }
// No header line ends with a line break.
const { 'a line break at the end': _, ...malformed } = badFormat

test.each([
  ['malformed', malformed],
  ['with a bad header', badHeader],
  ['with bad claims', badClaims],
])('a token %s is refused before any key is looked for', async (_, tokens) => {
  await refusesAll(await service(fetching), asTokens(tokens), invalidToken)
})

test.each([
  ['malformed', malformed],
  ['with a bad header', badHeader],
  ['with bad claims', badClaims],
  ['forged', forged],
])('a token %s is refused where the key is at hand', async (_, tokens) => {
  await refusesAll(await service(inlined), asTokens(tokens), invalidToken)
})

test('every cause gets the same answer', async () => {
  const all = { ...malformed, ...badHeader, ...badClaims, ...forged }
  const everyTenth = Object.fromEntries(Object.entries(all).filter((_, i) => i % 10 === 0))
  await refusesAll(await service(inlined), asTokens(everyTenth), invalidToken)
})

test('a plausible token without a known key waits for its issuer, and is not refused', async () => {
  const answers = await answersTo(await service(fetching), asTokens({ good: good.sign() }))
  for (const { status, headers, text } of Object.values(answers)) {
    expect([status, JSON.parse(String(text)).code, headers['Retry-After']]).toEqual([
      503,
      'issuer_unavailable',
      '10',
    ])
    expect(headers).not.toHaveProperty('WWW-Authenticate')
  }
})

test('a token on the good side of each boundary is judged by its scopes alone', async () => {
  const answers = await answersTo(await service(inlined), asTokens(accepted))
  for (const { status, text } of Object.values(answers))
    expect([status, JSON.parse(String(text)).code]).toEqual([403, 'scope_missing'])
})
