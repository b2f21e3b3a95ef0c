import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { issuersOf, keyPorts, patient } from './issuers.ts'
import { type Alg, compact, keyPair, type Members, sharedKeys } from './token/signer.ts'

interface Token {
  header?: Members
  claims?: Members
}

interface RealIssuer {
  name: string
  issuer: string
  audience: string
  needs?: Members
  /** The URL of its discovery document, unless it is the standard one. */
  discovery?: string
  keysUrl: string
  keys: (Members & { kty: string; crv?: string })[]
  /** What all its tokens have. */
  header?: Members
  claims?: Members
  tokens: (Token & { caller: { subject: string; client?: string; right?: string } })[]
  refused?: (Token & { reason: string })[]
}

const realIssuers: RealIssuer[] = parse(readFileSync(`${import.meta.dirname}/real-issuers.yml`, 'utf8'))

/** Half a minute after the tokens were issued. */
const clock = fakeClock(1_760_000_030_000)
beforeAll(() => void vi.setSystemTime(clock.nowMs()))
afterAll(() => void vi.useRealTimers())

const pairs: Record<string, ReturnType<typeof keyPair>> = {
  RSA: sharedKeys('trusted'),
  'P-256': keyPair('ES256'),
  'P-384': keyPair('ES384'),
  Ed25519: keyPair('EdDSA'),
}
const pairOf = ({ kty, crv = kty }: RealIssuer['keys'][number]) => pairs[crv] as ReturnType<typeof keyPair>

/** Signs and verifies tokens of a real issuer, under a configuration with these members. */
function verifierOf(real: RealIssuer, members: Members) {
  const { issuer, discovery, keysUrl, keys } = real
  const published = keys.map(jwk => ({
    ...pairOf(jwk).publicKey.export({ format: 'jwk' }),
    ...jwk,
  }))
  const documents: Record<string, unknown> = {
    [discovery ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`]: {
      issuer,
      jwks_uri: keysUrl,
    },
    [keysUrl]: { keys: published },
  }
  const fetchJson = async (url: string) => documents[url] ?? Promise.reject(new Error('status 404'))
  const verify = tokenVerifier(issuersOf({ issuer, ...members }), keyPorts({ clock, fetchJson }))
  return (token: Token) => {
    const header = { ...real.header, ...token.header }
    const claims = { iss: issuer, exp: 1_760_003_600, ...real.claims, ...token.claims }
    const key = keys.find(({ kid }) => kid === header.kid) ?? { kty: 'RSA' }
    return verify(compact(header, claims, pairOf(key).privateKey, header.alg as Alg), patient)
  }
}

/** Each of its tokens is accepted, with its subject, client and right. */
async function expectServed(real: RealIssuer, members: Members) {
  const verified = verifierOf(real, members)
  for (const token of real.tokens) {
    const { right, ...named } = token.caller
    const { subject, clientId, scopes } = await verified(token)
    expect({ subject, client: clientId }).toEqual({ client: undefined, ...named })
    if (right === undefined) expect(scopes).toEqual(new Set())
    else expect(scopes).toContain(right)
  }
}

describe.each(realIssuers)('$name', real => {
  const { name, audience, needs = {}, refused = [] } = real
  const members = 'clientIds' in needs ? needs : { audience, ...needs }

  test(`${name} is served with ${JSON.stringify(Object.keys(members))}`, async () => {
    await expectServed(real, members)
  })

  test.each(Object.keys(needs))(`${name} is not served without %s`, async need => {
    const { [need]: _, ...rest } = needs
    await expect(expectServed(real, { audience, ...rest })).rejects.toThrow()
  })

  test.each(refused)(`a token of ${name} is refused: $reason`, async token => {
    await expect(verifierOf(real, members)(token)).rejects.toMatchObject({
      code: 'token_rejected',
      cause: { message: token.reason },
    })
  })
})
