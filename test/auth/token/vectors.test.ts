import { expect, test, vi } from 'vitest'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { Failure } from '../../../lib/domain/failure.ts'
import { issuersOf } from '../issuers.ts'
import { systemTimeOf } from '../system-time.ts'
import { accepted } from './vectors/accepted.ts'
import { badClaims } from './vectors/claims.ts'
import { clock } from './vectors/fixtures.ts'
import { forged } from './vectors/forged.ts'
import { badFormat } from './vectors/format.ts'
import { badHeader } from './vectors/header.ts'
import { trusted } from './vectors/issuers.ts'

systemTimeOf(clock)

/** Trusts the issuers, and fetches their keys. */
async function verified(token: string) {
  const published = new Map(trusted.map(({ issuer, jwks }) => [`${issuer}/jwks`, jwks]))
  const fetching = trusted.map(issuer => ({ ...issuer, jwks: undefined, jwksUri: `${issuer.issuer}/jwks` }))
  const fetchJson = vi.fn(async (uri: string) => published.get(uri))
  const verify = tokenVerifier(issuersOf(...fetching), clock, fetchJson)
  const outcome = await verify(token, new AbortController().signal).catch(error => error)
  return { outcome, fetches: fetchJson.mock.calls.length }
}

function expectRejected(outcome: unknown) {
  expect(outcome).toBeInstanceOf(Failure)
  const cause = { message: expect.stringMatching(/\w/) }
  expect(outcome).toMatchObject({ code: 'token_rejected', facts: {}, cause })
}

test.each(Object.entries({ ...badFormat, ...badHeader, ...badClaims }))(
  '%s is rejected without a fetch',
  async (_, token) => {
    const { outcome, fetches } = await verified(token)
    expectRejected(outcome)
    expect(fetches).toBe(0)
  },
)

test.each(Object.entries(forged))('%s is rejected', async (_, token) => {
  expectRejected((await verified(token)).outcome)
})

test.each(Object.entries(accepted))('%s is accepted', async (_, token) => {
  const { iss } = JSON.parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url')))
  expect((await verified(token)).outcome).toMatchObject({ issuer: iss })
})
