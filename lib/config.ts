import * as v from 'valibot'

/** Whose tokens are believed, and how they must look. One entry of the ISSUERS list. */
export type IssuerConfig = v.InferOutput<typeof issuer>

export type Config = ReturnType<typeof readConfig>

const secondsMax = 900
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const
const whole = (least: number, most: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, 'must be a whole number'),
    v.transform(Number),
    v.minValue(least, `must be at least ${least}`),
    v.maxValue(most, `must be at most ${most}`),
  )
const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const scopeToken = v.pipe(
  v.string(),
  v.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope (RFC 6749 §3.3)'),
)

const seconds = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))
const faultInside = (unknownKey: string) => (issue: v.StrictObjectIssue) =>
  issue.expected === 'never' ? unknownKey : 'must be an object'

const poolId = /^[a-z]{2}(?:-[a-z]+)+-\d_[A-Za-z\d]{1,55}$/
/** OpenID Connect Discovery 1.0 §2: without query and fragment. */
const discoverable = /^https:\/\/[^\s?#]+$/

const anyRule = {
  algorithms: v.optional(v.pipe(v.array(v.picklist(algorithms)), v.nonEmpty()), ['RS256']),
  /** The claim that names the caller's user. */
  subjectClaim: v.optional(filled, 'sub'),
  /** How far an issuer's clock may run ahead of ours. */
  clockGraceSeconds: v.optional(seconds(0, 300), 30),
  /** Fetched keys older than this are fetched again before they are used, so that a withdrawn key stops working. */
  keysMaxAgeSeconds: v.optional(seconds(1, 86_400), 300),
  /** How long known keys go on working while the issuer cannot be reached. */
  keysStaleMaxSeconds: v.optional(seconds(1, 604_800), 86_400),
}

const anyIssuer = {
  /** Equals the token's `iss`, character by character. */
  issuer: filled,
  /** Where the keys are fetched; https. Without it and `jwks`, the issuer says where (OpenID Connect Discovery). */
  jwksUri: v.optional(v.pipe(v.string(), v.regex(/^https:\/\//, 'must be an https URL'))),
  /** The keys themselves, for a function without a route to the issuer. */
  jwks: v.optional(v.looseObject({ keys: v.pipe(v.array(v.looseObject({ kty: filled })), v.nonEmpty()) })),
  ...anyRule,
}

const audienceIssuer = v.strictObject(
  {
    ...anyIssuer,
    /** One of these must be in the token's `aud`. */
    audience: v.union([filled, v.pipe(v.array(filled), v.nonEmpty())]),
    /** The `typ` that the token's header must carry, without `application/`, in any case (RFC 9068 §4). */
    typ: v.optional(filled, 'at+jwt'),
  },
  faultInside('is unknown'),
)

/** One of these must be the token's `client_id`. */
const clientIds = v.pipe(v.array(filled), v.nonEmpty('must name at least one client'))

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
      cognitoUserPoolId: v.pipe(v.string(), v.regex(poolId, 'must be like eu-central-1_AbCdEf123')),
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
    if (names(input, 'cognitoUserPoolId')) return poolIssuer
    return names(input, 'clientIds', 'tokenUse') ? clientIssuer : audienceIssuer
  }),
  v.check(i => i.jwks === undefined || i.jwksUri === undefined, 'must not have both jwks and jwksUri'),
  v.check(
    i => i.jwks !== undefined || i.jwksUri !== undefined || discoverable.test(i.issuer),
    'needs jwks or jwksUri, or an issuer that is an https URL',
  ),
  v.check(
    i => i.keysStaleMaxSeconds >= i.keysMaxAgeSeconds,
    'keysStaleMaxSeconds must not be less than keysMaxAgeSeconds',
  ),
)

const issuers = v.pipe(
  v.string(),
  v.parseJson(undefined, 'must be JSON'),
  v.array(issuer),
  v.nonEmpty('must name at least one issuer'),
  v.check(all => new Set(all.map(i => i.issuer)).size === all.length, 'must not name an issuer twice'),
)

const date = v.pipe(
  v.string(),
  v.isoTimestamp('must be an ISO 8601 time such as 2026-01-31T00:00:00Z'),
  v.transform(text => Date.parse(text)),
)
const absentWhenEmpty = <S extends v.GenericSchema<string, unknown>>(schema: S) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform(text => (text === '' ? undefined : text)),
    v.optional(schema),
  )

const environment = v.pipe(
  v.object({
    TABLE_NAME: filled,
    ISSUERS: issuers,
    READ_SCOPE: v.optional(scopeToken, 'saml-providers:read'),
    DELETE_SCOPE: v.optional(scopeToken, 'saml-providers:delete'),
    REALM: v.optional(
      v.pipe(v.string(), v.regex(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, 'must be printable, without quotes')),
      'identity-provider-administration',
    ),
    MAX_WAIT_SECONDS: v.optional(whole(1, secondsMax), '28'),
    ANSWER_RESERVE_MS: v.optional(whole(0, 10_000), '150'),
    RETENTION_DAYS: v.optional(whole(1, 3650), '7'),
    SUCCESSOR_PATH: v.pipe(v.string(), v.regex(/^\/[\w./-]*$/, 'must be a path')),
    DEPRECATED_AT: date,
    SUNSET_AT: absentWhenEmpty(date),
    SUNSET_ENFORCED: v.optional(v.picklist(['true', 'false'], 'must be true or false'), 'false'),
    DOCUMENTATION_URL: absentWhenEmpty(
      v.pipe(v.string(), v.regex(/^https:\/\/[^\s<>"]+$/, 'must be an https URL')),
    ),
  }),
  v.check(
    e => e.SUNSET_AT === undefined || e.SUNSET_AT >= e.DEPRECATED_AT,
    'SUNSET_AT must not be earlier than DEPRECATED_AT',
  ),
  v.check(e => e.SUNSET_ENFORCED === 'false' || e.SUNSET_AT !== undefined, 'SUNSET_ENFORCED needs SUNSET_AT'),
)

/**
 * The deployment's settings, checked once.
 *
 * @throws Error whose message names every variable at fault and what it should be
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const parsed = v.safeParse(environment, env)
  if (!parsed.success) throw new Error(`Configuration: ${parsed.issues.map(faultOf).join('; ')}`)
  const e = parsed.output
  return {
    tableName: e.TABLE_NAME,
    issuers: e.ISSUERS,
    scopes: { read: e.READ_SCOPE, delete: e.DELETE_SCOPE },
    realm: e.REALM,
    maxWaitMs: e.MAX_WAIT_SECONDS * 1000,
    answerReserveMs: e.ANSWER_RESERVE_MS,
    retentionMs: e.RETENTION_DAYS * 86_400_000,
    deprecation: {
      deprecatedAtMs: e.DEPRECATED_AT,
      sunsetAtMs: e.SUNSET_AT,
      sunsetEnforced: e.SUNSET_ENFORCED === 'true',
      documentationUrl: e.DOCUMENTATION_URL,
      successorPath: e.SUCCESSOR_PATH,
    },
  }
}

/** The settings of this process. */
export const processConfig = () => readConfig(process.env)

function names(input: unknown, ...members: string[]): boolean {
  return typeof input === 'object' && input !== null && members.some(member => member in input)
}

function faultOf(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)
  if (path === null) return issue.message
  return `${path} ${issue.received === 'undefined' ? 'is missing' : issue.message}`
}
