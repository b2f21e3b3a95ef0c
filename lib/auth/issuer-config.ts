import * as v from 'valibot'
import { type Algorithm, algorithms } from './algorithms.ts'
import { httpsUrl } from './keys/discovery.ts'

/** A trusted issuer, and the policy that its tokens must satisfy. */
export type IssuerConfig = v.InferOutput<typeof issuer>

const text = v.string('must be a text')
const filled = v.pipe(text, v.nonEmpty('must not be empty'))
const listOf = <const Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item, 'must be a list'), v.nonEmpty('must not be empty'))
const oneOrMore = v.union([filled, listOf(filled)], 'must be a text, or a list of texts')
const isObject = 'must be an object'

const algorithmNames = Object.keys(algorithms) as Algorithm[]
/** All but RS384 and RS512, so that one fits each key of an issuer that does not say for which algorithm its keys are. */
const oneForEachKey: Algorithm[] = ['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** OpenID Connect Discovery 1.0 §2: without query and fragment. */
const isDiscoverable = (issuer: string) => httpsUrl.test(issuer) && !/[?#]/.test(issuer)

const issuer = v.pipe(
  v.strictObject(
    {
      /** Equals the token's `iss`, character by character. */
      issuer: filled,
      /** One of these, or of `clientIds`, must be in the token's `aud`. */
      audience: v.optional(oneOrMore),
      /** Amazon Cognito: one of these must be the `client_id` of its access tokens, which then need no `aud`. */
      clientIds: v.optional(listOf(filled)),
      /** Where the keys are fetched; https. Without it and `jwks`, the issuer says where (OpenID Connect Discovery). */
      jwksUri: v.optional(v.pipe(text, v.regex(httpsUrl, 'must be an https URL without user info'))),
      /** The keys themselves, for a function without a route to the issuer. */
      jwks: v.optional(v.looseObject({ keys: listOf(v.looseObject({ kty: filled }, isObject)) }, isObject)),
      algorithms: v.optional(
        listOf(v.picklist(algorithmNames, `must be one of ${algorithmNames.join(', ')}`)),
        oneForEachKey,
      ),
      /** Refuses tokens that are not marked as access tokens, for an issuer that marks all (RFC 9068 §4). */
      typ: v.optional(v.literal('at+jwt', 'must be at+jwt')),
      /** The claim that names the caller's user, or the claims of which the first one in a token does. */
      subjectClaim: v.optional(oneOrMore, 'sub'),
      scopeClaims: v.optional(listOf(filled), ['scope', 'scp', 'permissions']),
    },
    issue => (issue.expected === 'never' ? 'is unknown' : isObject),
  ),
  v.check(
    i => i.audience !== undefined || i.clientIds !== undefined,
    'needs audience or, for Amazon Cognito, clientIds',
  ),
  v.check(i => i.jwks === undefined || i.jwksUri === undefined, 'must not have both jwks and jwksUri'),
  v.check(
    i => i.jwks !== undefined || i.jwksUri !== undefined || isDiscoverable(i.issuer),
    'needs jwks or jwksUri, or an issuer that is an https URL',
  ),
)

/** The ISSUERS variable: a JSON list of at least one, none twice. */
export const issuers = v.pipe(
  v.string(),
  v.nonEmpty('is required'),
  v.parseJson(undefined, 'must be JSON'),
  listOf(issuer),
  v.check(all => new Set(all.map(i => i.issuer)).size === all.length, 'must not name an issuer twice'),
)
