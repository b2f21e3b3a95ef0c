import * as v from 'valibot'
import { type Algorithm, algorithms } from './algorithms.ts'
import { isJsonObject } from '../domain/json.ts'
import { httpsUrl } from './keys/discovery.ts'

/** A trusted issuer, and the policy that its tokens must satisfy. */
export type IssuerConfig = v.InferOutput<typeof issuer>

const text = v.string('must be a text')
const filled = v.pipe(text, v.nonEmpty('must not be empty'))
const listOf = <const Item extends v.GenericSchema>(item: Item, ifEmpty = 'must not be empty') =>
  v.pipe(v.array(item, 'must be a list'), v.nonEmpty(ifEmpty))
const seconds = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most}`
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(least, rule), v.maxValue(most, rule))
}
const isObject = 'must be an object'
const faultInside = (unknownKey: string) => (issue: v.StrictObjectIssue) =>
  issue.expected === 'never' ? unknownKey : isObject

const algorithmNames = Object.keys(algorithms) as Algorithm[]
const poolId = /^[a-z]{2}(?:-[a-z]+)+-\d_[A-Za-z\d]{1,55}$/
/** OpenID Connect Discovery 1.0 §2: without query and fragment. */
const isDiscoverable = (issuer: string) => httpsUrl.test(issuer) && !/[?#]/.test(issuer)

const anyRule = {
  /** The algorithms that the issuer signs with. */
  algorithms: v.optional(listOf(v.picklist(algorithmNames, `must be one of ${algorithmNames.join(', ')}`)), [
    'RS256',
  ]),
  /** The claim that names the caller's user. */
  subjectClaim: v.optional(filled, 'sub'),
  /** The claims that carry scopes: lists; `scope` and `scp` may also be one string with spaces between them. */
  scopeClaims: v.optional(listOf(filled, 'must name at least one claim'), ['scope', 'scp', 'permissions']),
  /** How far an issuer's clock may run ahead of ours. */
  clockGraceSeconds: v.optional(seconds(0, 300), 30),
}

const anyIssuer = {
  /** Equals the token's `iss`, character by character. */
  issuer: filled,
  /** Where the keys are fetched; https. Without it and `jwks`, the issuer says where (OpenID Connect Discovery). */
  jwksUri: v.optional(v.pipe(text, v.regex(httpsUrl, 'must be an https URL without user info'))),
  /** The keys themselves, for a function without a route to the issuer. */
  jwks: v.optional(v.looseObject({ keys: listOf(v.looseObject({ kty: filled }, isObject)) }, isObject)),
  ...anyRule,
}

const audienceIssuer = v.strictObject(
  {
    ...anyIssuer,
    /** One of these must be in the token's `aud`. */
    audience: v.union([filled, listOf(filled)], 'must be a text, or a list of texts'),
    /**
     * The `typ` that the token's header must carry, without `application/`, in any case (RFC 9068 §4); null for an
     * issuer that does not mark its access tokens: then there must be none, or `JWT`.
     */
    typ: v.optional(v.nullable(filled), 'at+jwt'),
  },
  faultInside('is unknown'),
)

/** One of these must be the token's `client_id`. */
const clientIds = listOf(filled, 'must name at least one client')

/** Amazon Cognito: its access tokens carry `client_id` and `token_use` instead of `aud` and `typ`. */
const clientIssuer = v.strictObject(
  {
    ...anyIssuer,
    tokenUse: v.literal('access', 'must be access'),
    clientIds,
  },
  faultInside('is unknown to an issuer with clientIds'),
)

/** An Amazon Cognito user pool by its id: short for what follows from it. */
const poolIssuer = v.pipe(
  v.strictObject(
    {
      ...anyRule,
      cognitoUserPoolId: v.pipe(text, v.regex(poolId, 'must be like eu-central-1_AbCdEf123')),
      clientIds,
    },
    faultInside('is unknown to an issuer with cognitoUserPoolId'),
  ),
  v.transform(({ cognitoUserPoolId: id, ...rest }) => {
    const issuer = `https://cognito-idp.${id.split('_')[0]}.amazonaws.com/${id}`
    const jwksUri = `${issuer}/.well-known/jwks.json`
    return { ...rest, issuer, jwksUri, jwks: undefined, tokenUse: 'access' as const }
  }),
)

const issuer = v.pipe(
  v.lazy(input => {
    const names = isJsonObject(input) ? Object.keys(input) : []
    if (names.includes('cognitoUserPoolId')) return poolIssuer
    return names.includes('clientIds') || names.includes('tokenUse') ? clientIssuer : audienceIssuer
  }),
  v.check(i => i.jwks === undefined || i.jwksUri === undefined, 'must not have both jwks and jwksUri'),
  v.check(
    i => i.jwks !== undefined || i.jwksUri !== undefined || isDiscoverable(i.issuer),
    'needs jwks or jwksUri, or an issuer that is an https URL',
  ),
)

/** The ISSUERS variable: a JSON list of at least one, none twice. */
export const issuers = v.pipe(
  v.string(),
  v.parseJson(undefined, 'must be JSON'),
  listOf(issuer, 'must name at least one issuer'),
  v.check(all => new Set(all.map(i => i.issuer)).size === all.length, 'must not name an issuer twice'),
)
