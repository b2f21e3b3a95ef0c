import type { Failure, FailureCode } from '../domain/failure.ts'

const titles = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
interface ProblemHeaders {
  retryAfterSeconds?: number
  /** The `error` of the challenge, or null for a challenge without one (RFC 6750 §3.1). */
  challengeError?: 'invalid_token' | 'insufficient_scope' | null
}
const problemKind = (status: keyof typeof titles, detail: string, headers: ProblemHeaders = {}) => ({
  status,
  title: titles[status],
  detail,
  headers,
})

/** The status and texts of each failure code. A missing code does not compile. */
export const problemKinds: Record<FailureCode, ReturnType<typeof problemKind>> = {
  credentials_missing: problemKind(
    401,
    'Send one Authorization header with the scheme Bearer and an access token.',
    { challengeError: null },
  ),
  token_rejected: problemKind(401, 'The access token is not valid here. Get a new one and try again.', {
    challengeError: 'invalid_token',
  }),
  scope_missing: problemKind(403, 'The access token does not have the scope that this operation needs.', {
    challengeError: 'insufficient_scope',
  }),
  endpoint_retired: problemKind(410, 'This endpoint has been retired. The Link header names its successor.'),
  caller_disabled: problemKind(403, "The caller's user is disabled or deleted."),
  provider_not_found: problemKind(404, 'There is no SAML provider with this id.'),
  own_provider: problemKind(
    409,
    'You sign in through this provider; removing it would lock you out. Ask another administrator.',
  ),
  answer_too_large: problemKind(
    413,
    'The answer is too large to be sent without compression. Nothing is lost: send the same request again with an HTTP library that takes br or gzip. If it did, ask the operators for the list.',
  ),
  wait_expired: problemKind(
    503,
    'The time limit expired before any change was made. Send the request again with a longer wait, or without one.',
    { retryAfterSeconds: 1 },
  ),
  removal_unfinished: problemKind(
    503,
    'The time limit expired during the removal. Send the same DELETE again, with a longer wait if you can: it continues where it stopped.',
    { retryAfterSeconds: 1 },
  ),
  issuer_unavailable: problemKind(
    503,
    'The key of the access token is not known, and the keys of its issuer cannot be fetched now. Send the same request again later.',
    { retryAfterSeconds: 10 },
  ),
  table_busy: problemKind(503, 'The database is busy. Nothing is lost: send the same request again later.', {
    retryAfterSeconds: 5,
  }),
  internal_error: problemKind(
    500,
    'An unexpected error occurred. Send the same request again after a minute; if it fails again, report the request_id to the operators.',
  ),
}

/** For people, in the challenge of a 401 or 403. */
const realm = 'identity-provider-administration'

/** @see RFC 9457 */
export function problem({ code, facts: { knownTotal, unlinked, scope } }: Failure, requestId: string) {
  const { status, title, detail, headers } = problemKinds[code]
  const { retryAfterSeconds, challengeError } = headers
  // JSON.stringify omits undefined members.
  const progress = { affected_total: knownTotal, unlinked }
  const body = { type: 'about:blank', title, status, detail, code, request_id: requestId, ...progress }
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/problem+json',
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...(challengeError !== undefined && { 'WWW-Authenticate': challenge(challengeError, scope) }),
    },
    body: JSON.stringify(body),
  }
}

/** @see RFC 6750 §3 */
function challenge(error: string | null, scope: string | undefined): string {
  const parameters = Object.entries({ realm, error, scope }).filter(([, value]) => typeof value === 'string')
  return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}
