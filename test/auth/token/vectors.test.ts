import { Buffer } from 'node:buffer'
import { expect, test, vi } from 'vitest'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { Failure } from '../../../lib/domain/failure.ts'
import { issuersOf } from '../issuers.ts'
import { base64url, compact, type Members, signer } from './signer.ts'
import { accepted } from './vectors/accepted.ts'
import { badClaims } from './vectors/claims.ts'
import { forged } from './vectors/forged.ts'
import { badFormat } from './vectors/format.ts'
import { badHeader } from './vectors/header.ts'
import { audience, body, clock, good, head, issuer } from './vectors/fixtures.ts'

test.each(Object.entries({ ...badFormat, ...badHeader, ...badClaims }))(
  '%s is rejected without a fetch',
  async (_, token) => {
    const { verify, fetchJson } = service()
    await expectRejected(verify(token, new AbortController().signal))
    expect(fetchJson).not.toHaveBeenCalled()
  },
)

test.each(Object.entries(forged))('%s is rejected', async (_, token) => {
  await expectRejected(service().verify(token, new AbortController().signal))
})

test.each([
  { name: 'a malformed ES256 signature', signature: 'AA' },
  { name: 'an ES256 signature of zeros', signature: base64url(Buffer.alloc(64)) },
  { name: 'an ES256 signature of DER', signature: base64url(Buffer.from('3006020101020101', 'hex')) },
])('$name is rejected', async ({ signature }) => {
  const ec = signer({ issuer, audience, nowMs: clock.nowMs, alg: 'ES256' })
  const verify = tokenVerifier(
    issuersOf({ issuer, audience, jwks: ec.jwks, algorithms: ['ES256'] }),
    clock,
    vi.fn(),
  )
  const token = [...ec.sign().split('.').slice(0, 2), signature].join('.')
  await expectRejected(verify(token, new AbortController().signal))
})

test('a token whose alg differs from that of its key is rejected, although the issuer uses both', async () => {
  const keys = [...good.jwks.keys, { ...good.publicJwk, kty: 'RSA', kid: 'key-2', alg: 'RS512' }]
  const verify = tokenVerifier(
    issuersOf({ issuer, audience, jwks: { keys }, algorithms: ['RS256', 'RS512'] }),
    clock,
    vi.fn(),
  )
  const token = compact({ ...head, alg: 'RS512' }, body, good.privateKey, 'RS512')
  await expectRejected(verify(token, new AbortController().signal))
})

test.each([
  { signed: 'RS256', accepted: true },
  { signed: 'RS512', accepted: false },
] as const)('for a key without alg that fits only RS256, $signed is accepted: $accepted', async row => {
  const { signed, accepted } = row
  const keys = [{ ...good.publicJwk, kty: 'RSA', alg: undefined }]
  const algorithms = ['RS256', 'ES256']
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwks: { keys }, algorithms }), clock, vi.fn())
  const live = new AbortController().signal
  for (const alg of [signed, 'ES256']) {
    const outcome = verify(compact({ ...head, alg }, body, good.privateKey, signed), live)
    if (accepted && alg === signed) await expect(outcome).resolves.toMatchObject({ issuer })
    else await expectRejected(outcome)
  }
})

test.each(['', 's'.repeat(257), undefined, 5])('a configured subject of %j is rejected', async user => {
  const { verify, fetchJson } = service({ subjectClaim: 'user' })
  await expectRejected(verify(good.sign({ user }), new AbortController().signal))
  expect(fetchJson).not.toHaveBeenCalled()
})

test('sub is required when another claim names the subject', async () => {
  const { verify } = service({ subjectClaim: 'user' })
  await expectRejected(verify(good.sign({ user: 'u', sub: undefined }), new AbortController().signal))
})

test.each(Object.entries(accepted))('%s is accepted', async (_, token) => {
  await expect(service().verify(token, new AbortController().signal)).resolves.toMatchObject({ issuer })
})

function service(config: Members = {}) {
  const fetchJson = vi.fn(async () => good.jwks)
  const issuers = issuersOf({ issuer, audience, jwksUri: 'https://id.example/jwks', ...config })
  return { verify: tokenVerifier(issuers, clock, fetchJson), fetchJson }
}

async function expectRejected(outcome: Promise<unknown>) {
  const failure = await outcome.then(
    () => undefined,
    error => error,
  )
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({ code: 'token_rejected', facts: {} })
}
