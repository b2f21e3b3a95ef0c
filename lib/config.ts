import * as v from 'valibot'
import { issuers } from './auth/issuer-config.ts'
import { isoTime } from './domain/iso-time.ts'
import { retentionDaysMax } from './domain/provider.ts'

export type Config = ReturnType<typeof readConfig>

/** Lambda ends a function at 900 s. */
const waitSecondsMax = 899
const matching = (form: RegExp, message: string) => v.pipe(v.string(), v.regex(form, message))
/** A whole number as a text. */
export const whole = (least: number, most: number) =>
  v.pipe(
    matching(/^\d{1,15}$/, 'must be a whole number'),
    v.transform(Number),
    v.minValue(least, `must be at least ${least}`),
    v.maxValue(most, `must be at most ${most}`),
  )
const scopeToken = matching(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope (RFC 6749 §3.3)')

const date = v.pipe(
  v.string(),
  v.transform(text => Date.parse(isoTime(text) ?? '')),
  v.number('must be an ISO 8601 time such as 2026-01-31T00:00:00Z'),
)
const absentWhenEmpty = <S extends v.GenericSchema<string, unknown>>(schema: S) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform(text => (text === '' ? undefined : text)),
    v.optional(schema),
  )

export type ContentCoding = 'br' | 'gzip'
const contentCodings = v.pipe(
  v.picklist(
    ['br gzip', 'gzip br', 'br', 'gzip', 'identity'],
    'must be br, gzip, both in the order of preference, separated by a space, or identity for none',
  ),
  v.transform(text => (text === 'identity' ? [] : (text.split(' ') as ContentCoding[]))),
)

const environment = v.pipe(
  v.object({
    TABLE_NAME: matching(
      /^[\w.-]{3,255}$/,
      'must be 3 to 255 letters, digits, underscores, dots and hyphens',
    ),
    ISSUERS: issuers,
    READ_SCOPE: scopeToken,
    DELETE_SCOPE: scopeToken,
    MAX_WAIT_SECONDS: whole(1, waitSecondsMax),
    RETENTION_DAYS: whole(1, retentionDaysMax),
    CONTENT_CODINGS: contentCodings,
    RESPONSE_TRANSFER_MODE: v.picklist(['STREAM', 'BUFFERED'], 'must be STREAM or BUFFERED'),
    SUCCESSOR_PATH: matching(
      /^(https:\/\/[\w.-]+(:\d+)?)?(\/[\w.-]+)+$/,
      'must be a path, or an https URL with a path, without a slash at its end',
    ),
    DEPRECATED_AT: date,
    SUNSET_AT: absentWhenEmpty(date),
    RETIRED: v.picklist(['true', 'false'], 'must be true or false'),
    VERSION: v.string(),
    DEPLOYMENT: v.string(),
    DOCUMENTATION_URL: absentWhenEmpty(matching(/^https:\/\/[!#-;=?-~]+$/, 'must be an https URL in ASCII')),
  }),
  v.check(
    e => e.SUNSET_AT === undefined || e.SUNSET_AT >= e.DEPRECATED_AT,
    'SUNSET_AT must not be earlier than DEPRECATED_AT',
  ),
)

/**
 * The deployment's settings, checked once; serverless.yml has their defaults.
 *
 * @throws Error whose message names every variable at fault and what it should be
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env) {
  const parsed = v.safeParse(environment, env)
  if (!parsed.success) throw new Error(`Configuration: ${parsed.issues.map(faultOf).join('; ')}`)
  const e = parsed.output
  return {
    version: e.VERSION,
    deployment: e.DEPLOYMENT,
    tableName: e.TABLE_NAME,
    issuers: e.ISSUERS,
    scopes: { read: e.READ_SCOPE, delete: e.DELETE_SCOPE },
    maxWaitMs: e.MAX_WAIT_SECONDS * 1000,
    retentionMs: e.RETENTION_DAYS * 86_400_000,
    contentCodings: e.CONTENT_CODINGS,
    responseTransferMode: e.RESPONSE_TRANSFER_MODE,
    deprecation: {
      deprecatedAtMs: e.DEPRECATED_AT,
      sunsetAtMs: e.SUNSET_AT,
      isRetired: e.RETIRED === 'true',
      documentationUrl: e.DOCUMENTATION_URL,
      successorPath: e.SUCCESSOR_PATH,
    },
  }
}

function faultOf(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)
  if (path === null) return issue.message
  return `${path} ${issue.received === 'undefined' ? 'is missing' : issue.message}`
}
