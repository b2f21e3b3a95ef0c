import { sharedKeys } from '../shared-keys.ts'
import { keyPair, type Members, signer } from '../signer.ts'
import { audience, clock, good, issuer, signerOf } from './fixtures.ts'

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
const untyped = 'https://untyped.example'
const named = 'https://named.example'

/** A token by the rules for Amazon Cognito. */
export const cognitoToken = (claims: Members) =>
  good.sign(
    { iss: cognito, aud: undefined, client_id: 'cli-2', token_use: 'access', ...claims },
    { typ: undefined },
  )
/** A token of an issuer that does not mark its access tokens. */
export const untypedToken = (header: Members) => good.sign({ iss: untyped }, header)
/** A token of an issuer that names the subject in the claim `user`. */
export const namedToken = (claims: Members) => good.sign({ iss: named, user: 'u', ...claims })

/** The configuration of every issuer of the vectors. */
export const trusted = [
  { issuer, audience, algorithms: ['RS256', 'RS512', 'ES256'], jwks: { keys } },
  { issuer: 'https://b.example', audience: 'b', jwks: other.jwks },
  { issuer: cognito, tokenUse: 'access', clientIds: ['cli-1', 'cli-2'], jwks: good.jwks },
  { issuer: untyped, audience, typ: null, jwks: good.jwks },
  { issuer: named, audience, subjectClaim: 'user', jwks: good.jwks },
]
