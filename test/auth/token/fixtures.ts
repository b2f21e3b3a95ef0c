import { Buffer } from 'node:buffer'
import { afterAll, beforeAll, vi } from 'vitest'
import { fakeClock } from '../../support/fake-clock.ts'
import { type Alg, type Members, compact, keyPair, sharedKeys, signer } from './signer.ts'

/** Tokens by the name of their row. */
export type Vectors = Record<string, string>

export const clock = fakeClock()
/** Sets the system's time, which aws-jwt-verify reads, to that of the clock during the tests of a file. */
export function atSigningTime() {
  beforeAll(() => void vi.setSystemTime(clock.nowMs()))
  afterAll(() => void vi.useRealTimers())
}

export const now = clock.nowMs() / 1000
export const issuer = 'https://id.example'
export const audience = 'saml-api'

/** Signs as the trusted issuer with another key than its first. */
export const signerOf = (kid: string, alg: Alg = 'RS256', keys = sharedKeys('other')) =>
  signer({ issuer, audience, nowMs: clock.nowMs, kid, alg, keys })

/** The trusted issuer. */
export const good = signerOf('key-1', 'RS256', sharedKeys('trusted'))
/** Header and claims of an accepted token. */
export const head: Members = { alg: 'RS256', typ: 'at+jwt', kid: 'key-1' }
export const body: Members = { iss: issuer, aud: audience, sub: 'machine', iat: now, exp: now + 300 }
export const parts = good.sign().split('.')

/** JSON of the members with added text, for JSON that JSON.stringify cannot write. */
export const text = (members: Members, added = '') => JSON.stringify(members).replace(/}$/, `${added}}`)

/** A token with any header and payload and a valid signature. */
export const signed = (header: Members | string | Buffer, payload: Members | string | Buffer) =>
  compact(header, payload, good.privateKey)

/** An accepted token with one part changed. */
export const part = (index: number, change: (text: string) => string) =>
  parts.map((each, i) => (i === index ? change(each) : each)).join('.')

export const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

/** One row for each value of a member; undefined omits it. */
export const valuesOf = (name: string, values: unknown[], sign: (members: Members) => string): Vectors =>
  Object.fromEntries(values.map(value => [`${name} ${shown(value)}`, sign({ [name]: value })]))

/** A token with this claim, for each of the values. */
export const claim = (name: string, ...values: unknown[]) =>
  valuesOf(name, values, claims => good.sign(claims))
/** A token with this header parameter, for each of the values. */
export const parameter = (name: string, ...values: unknown[]) =>
  valuesOf(name, values, header => good.sign({}, header))

function shown(value: unknown): string {
  const json = String(JSON.stringify(value))
  return json.length > 40 ? `${json.slice(0, 20)}… (${json.length})` : json
}

export const ec = signerOf('ec', 'ES256', keyPair('ES256'))
export const rs512 = signerOf('rs512', 'RS512')
export const repeated = signerOf('repeated')
export const ecBesideRsa = signerOf('repeated', 'ES256', keyPair('ES256'))
/** Its `kid` is the longest, and that of `property` the name of a property of every object. */
export const long = signerOf('k'.repeat(256))
export const property = signerOf('constructor')
const secret = Buffer.from('a secret that somebody published').toString('base64url')

/** The keys of the trusted issuer: good ones, and ones that must not be used. */
const keys = [
  ...[good, ec, rs512, repeated, repeated, ecBesideRsa, long, property].map(by => by.publicJwk),
  { kty: 'oct', kid: 'secret', alg: 'HS256', k: secret },
]

/** Another trusted issuer, with an audience and a key of its own, under a kid of its own. */
export const other = signer({
  issuer: 'https://b.example',
  audience: 'b',
  nowMs: clock.nowMs,
  kid: 'b-1',
  keys: sharedKeys('other'),
})

const cognito = 'https://cognito.example'
const marked = 'https://marked.example'
const named = 'https://named.example'

/** A token by the rules for Amazon Cognito. */
export const cognitoToken = (claims: Members) =>
  good.sign(
    { iss: cognito, aud: undefined, client_id: 'cli-2', token_use: 'access', ...claims },
    { typ: undefined },
  )
/** A token of an issuer that marks all its access tokens. */
export const markedToken = (header: Members) => good.sign({ iss: marked }, header)
/** A token of an issuer that names the subject in the claim `user`, else in `sub`. */
export const namedToken = (claims: Members) => good.sign({ iss: named, ...claims })

/** The configuration of every issuer of the vectors. */
export const trusted = [
  { issuer, audience, algorithms: ['RS256', 'RS512', 'ES256'], jwks: { keys } },
  { issuer: 'https://b.example', audience: 'b', jwks: other.jwks },
  { issuer: cognito, clientIds: ['cli-1', 'cli-2'], audience: 'https://ours.example', jwks: good.jwks },
  { issuer: marked, audience, typ: 'at+jwt', jwks: good.jwks },
  { issuer: named, audience, subjectClaim: ['user', 'sub'], jwks: good.jwks },
]
