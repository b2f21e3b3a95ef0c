import { expect, test, vi } from 'vitest'
import { SigningKey } from '../../lib/auth/token/signing-key.ts'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { issuersOf } from './issuers.ts'
import { sharedKeys } from './token/shared-keys.ts'
import { type Alg, keyPair, type Members, signer } from './token/signer.ts'

const clock = fakeClock()
const signal = new AbortController().signal
const issuer = 'https://id.example'
const audience = 'saml-api'
const jwksUri = `${issuer}/jwks`
const noKeys = () => Promise.reject(new Error('no network'))
const good = signer({ issuer, audience, nowMs: clock.nowMs, keys: sharedKeys('trusted') })
const jwks = good.jwks

test.each<Alg>(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
  'a token signed with %s is accepted only if the algorithm is allowed',
  async alg => {
    const keyPairs = alg.startsWith('RS') ? sharedKeys('other') : keyPair(alg)
    const other = signer({ issuer, audience, nowMs: clock.nowMs, alg, keys: keyPairs })
    const keys = {
      keys: [...other.jwks.keys, { ...jwks.keys[0], kid: 'rsa', alg: alg === 'RS256' ? 'RS512' : 'RS256' }],
    }
    const allowed = issuersOf({ issuer, audience, jwks: keys, algorithms: [alg] })
    const notAllowed = issuersOf({
      issuer,
      audience,
      jwks: keys,
      algorithms: [alg === 'RS256' ? 'RS512' : 'RS256'],
    })
    await expect(tokenVerifier(allowed, clock, noKeys)(other.sign(), signal)).resolves.toMatchObject({
      issuer,
    })
    await expect(tokenVerifier(notAllowed, clock, noKeys)(other.sign(), signal)).rejects.toMatchObject({
      code: 'token_rejected',
    })
  },
)

test('a token is verified once when its key is known', async () => {
  const accepts = vi.spyOn(SigningKey.prototype, 'accepts')
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwksUri }), clock, async () => jwks)
  for (const _ of [1, 2]) await verify(good.sign(), signal)
  expect(accepts).toHaveBeenCalledTimes(2)
})

test('a key that was replaced under its kid verifies no token any more', async () => {
  const movable = fakeClock()
  const successor = signer({ issuer, audience, nowMs: movable.nowMs, keys: sharedKeys('other') })
  let published = jwks
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwksUri }), movable, async () => published)
  await expect(verify(good.sign(), signal)).resolves.toMatchObject({ issuer })
  published = successor.jwks
  await expect(verify(successor.sign(), signal)).rejects.toMatchObject({ code: 'token_rejected' })
  movable.advance(300_000)
  await expect(verify(successor.sign(), signal)).resolves.toMatchObject({ issuer })
  await expect(verify(good.sign({ exp: 9e9 }), signal)).rejects.toMatchObject({ code: 'token_rejected' })
})

test('each issuer has its own audience and keys', async () => {
  const other = signer({
    issuer: 'https://b.example',
    audience: 'b',
    nowMs: clock.nowMs,
    keys: sharedKeys('other'),
  })
  const verify = tokenVerifier(
    issuersOf({ issuer, audience, jwks }, { issuer: 'https://b.example', audience: 'b', jwks: other.jwks }),
    clock,
    noKeys,
  )
  const rejected = { code: 'token_rejected' }
  expect(await verify(good.sign(), signal)).toMatchObject({ issuer })
  expect(await verify(other.sign(), signal)).toMatchObject({ issuer: 'https://b.example' })
  await expect(verify(other.sign({ aud: audience }), signal)).rejects.toMatchObject(rejected)
  await expect(verify(other.sign({ iss: issuer, aud: audience }), signal)).rejects.toMatchObject(rejected)
})

test('a kid may have 256 characters', async () => {
  const long = signer({
    issuer,
    audience,
    nowMs: clock.nowMs,
    kid: 'k'.repeat(256),
    keys: sharedKeys('trusted'),
  })
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwks: long.jwks }), clock, noKeys)
  await expect(verify(long.sign(), signal)).resolves.toMatchObject({ issuer })
})

test.each([
  ['no typ', undefined, true],
  ['JWT', 'JWT', true],
  ['jwt', 'jwt', true],
  ['at+jwt', 'at+jwt', false],
  ['an empty typ', '', false],
  ['a typ of null', null, false],
])('with the typ null of an issuer, %s is accepted: %s → %s', async (_, typ, accepted) => {
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwks, typ: null }), clock, noKeys)
  const outcome = verify(good.sign({}, { typ }), signal)
  if (accepted) await expect(outcome).resolves.toMatchObject({ issuer })
  else await expect(outcome).rejects.toMatchObject({ code: 'token_rejected' })
})

const cognito = { issuer, jwks, tokenUse: 'access', clientIds: ['cli-1', 'cli-2'] }
const cognitoToken = { aud: undefined, client_id: 'cli-2', token_use: 'access' }
const cognitoRows: { name: string; claims: Members; header?: Members; accepted: boolean }[] = [
  { name: 'an access token of a listed client without aud and typ', claims: cognitoToken, accepted: true },
  { name: 'a token with an aud', claims: { ...cognitoToken, aud: 'x' }, accepted: true },
  { name: 'a token with a malformed aud', claims: { ...cognitoToken, aud: 7 }, accepted: false },
  { name: 'a token of another client', claims: { ...cognitoToken, client_id: 'cli-3' }, accepted: false },
  {
    name: 'a token with a list of clients',
    claims: { ...cognitoToken, client_id: ['cli-2'] },
    accepted: false,
  },
  { name: 'a token without a client', claims: { ...cognitoToken, client_id: undefined }, accepted: false },
  { name: 'an ID token', claims: { ...cognitoToken, token_use: 'id' }, accepted: false },
  { name: 'an ID token with the client as aud', claims: { aud: 'cli-2', token_use: 'id' }, accepted: false },
  { name: 'a token without token_use', claims: { ...cognitoToken, token_use: undefined }, accepted: false },
]

test.each(cognitoRows)('for Amazon Cognito, $name is accepted: $accepted', async ({ claims, accepted }) => {
  const outcome = tokenVerifier(
    issuersOf(cognito),
    clock,
    noKeys,
  )(good.sign(claims, { typ: undefined }), signal)
  if (accepted) await expect(outcome).resolves.toMatchObject({ clientId: 'cli-2' })
  else await expect(outcome).rejects.toMatchObject({ code: 'token_rejected' })
})

test("an aborted request rejects with the signal's reason, without a fetch", async () => {
  const fetchJson = vi.fn(noKeys)
  const verify = tokenVerifier(
    issuersOf({ issuer, audience, jwksUri: 'https://id.example/jwks' }),
    clock,
    fetchJson,
  )
  const reason = new Failure('wait_expired')
  await expect(verify(good.sign(), AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(fetchJson).not.toHaveBeenCalled()
})

test('the warm-up fetches the keys of every issuer, and ignores failures', async () => {
  const other = 'https://down.example'
  const fetchJson = vi.fn(async (uri: string) => (uri.startsWith(other) ? noKeys() : jwks))
  const verify = tokenVerifier(
    issuersOf(
      { issuer: other, audience, jwksUri: `${other}/jwks` },
      { issuer, audience, jwksUri: `${issuer}/jwks` },
    ),
    clock,
    fetchJson,
  )
  await verify.warm(signal)
  await verify(good.sign(), signal)
  expect(fetchJson.mock.calls.map(([uri]) => uri)).toEqual([`${other}/jwks`, `${issuer}/jwks`])
})
