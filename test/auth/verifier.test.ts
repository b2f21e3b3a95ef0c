import { expect, test, vi } from 'vitest'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { issuersOf } from './issuers.ts'
import { systemTimeOf } from './system-time.ts'
import { audience, clock as atStart, good, issuer, signerOf } from './token/vectors/fixtures.ts'

const { signal } = new AbortController()
const jwksUri = `${issuer}/jwks`
const rejected = { code: 'token_rejected' }
const { jwks } = good
const fetching = issuersOf({ issuer, audience, jwksUri })

systemTimeOf(atStart)

test('a key that was replaced under its kid verifies no token any more', async () => {
  const clock = fakeClock()
  const successor = signerOf('key-1')
  let published = jwks
  const verify = tokenVerifier(fetching, clock, async () => published)
  await expect(verify(good.sign(), signal)).resolves.toMatchObject({ issuer })
  published = successor.jwks
  await expect(verify(successor.sign(), signal)).rejects.toMatchObject(rejected)
  clock.advance(300_000)
  await expect(verify(successor.sign({ exp: 9e9 }), signal)).resolves.toMatchObject({ issuer })
  await expect(verify(good.sign({ exp: 9e9 }), signal)).rejects.toMatchObject(rejected)
})

test('the warm-up fetches the keys of every issuer, and ignores failures', async () => {
  const down = { issuer: 'https://down.example', audience, jwksUri: 'https://down.example/jwks' }
  const fetchJson = vi.fn(async (uri: string) => (uri === jwksUri ? jwks : Promise.reject(new Error('down'))))
  const verify = tokenVerifier(issuersOf(down, { issuer, audience, jwksUri }), fakeClock(), fetchJson)
  await verify.warm(signal)
  await verify(good.sign(), signal)
  expect(fetchJson.mock.calls.map(([uri]) => uri)).toEqual([down.jwksUri, jwksUri])
})
