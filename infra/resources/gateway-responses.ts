import { commonHeaders } from '../../lib/http/common-headers.ts'
import { problemKinds } from '../../lib/http/problem.ts'

type Headers = Record<string, string>

/** What API Gateway itself answers, with the format of all other errors. */
const problems = {
  route_not_found: { status: 404, title: 'Not Found', detail: 'This path does not exist for this method.' },
  access_refused: {
    status: 403,
    title: 'Forbidden',
    detail: 'The access rules in front of this service refuse the call. Ask the operators.',
  },
  request_too_large: {
    status: 413,
    title: 'Content Too Large',
    detail: 'The headers of a request may have 10,240 bytes, its body 10 MB.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too Many Requests',
    detail: "The deployment's request rate is exceeded. Send the request again in a moment.",
  },
  // A function that crashed or timed out. A removal continues when its DELETE is sent again.
  internal_error: problemKinds.internal_error,
}
export type GatewayCode = keyof typeof problems

/** @param deprecation the headers of the two endpoints; an answer to a call of neither has no successor */
export function gatewayAnswer(code: GatewayCode, requestId: string, deprecation: Headers) {
  const { status, title, detail } = problems[code]
  const headers: Headers = {
    'Content-Type': 'application/problem+json',
    ...commonHeaders,
    'X-Request-Id': requestId,
    ...(code !== 'route_not_found' && deprecation),
    ...(code === 'too_many_requests' && { 'Retry-After': '1' }),
  }
  const problem = { type: 'about:blank', title, status, detail, code, request_id: requestId }
  return { status, headers, body: JSON.stringify(problem) }
}

/**
 * A type that is not listed falls back to its DEFAULT. Without authorizer, API key and request model, DEFAULT_4XX is used
 * for unknown routes only, such as an unknown path whose Authorization is not an AWS signature.
 */
const responses: [id: string, type: string, GatewayCode][] = [
  ['NoSuchRouteResponse', 'MISSING_AUTHENTICATION_TOKEN', 'route_not_found'],
  ['Default4xxResponse', 'DEFAULT_4XX', 'route_not_found'],
  ['AccessDeniedResponse', 'ACCESS_DENIED', 'access_refused'], // by a resource policy
  ['WafFilteredResponse', 'WAF_FILTERED', 'access_refused'],
  ['RequestTooLargeResponse', 'REQUEST_TOO_LARGE', 'request_too_large'],
  ['ThrottledResponse', 'THROTTLED', 'too_many_requests'],
  ['QuotaExceededResponse', 'QUOTA_EXCEEDED', 'too_many_requests'],
  ['Default5xxResponse', 'DEFAULT_5XX', 'internal_error'],
]

const requestId = 'context.requestId'

/** The gateway responses, by logical id. Their templates support simple substitution only, no functions. */
export const gatewayResponses = (deprecation: Headers) =>
  Object.fromEntries(
    responses.map(([id, ResponseType, code]) => {
      const { status, headers, body } = gatewayAnswer(code, requestId, deprecation)
      const Properties = {
        RestApiId: { Ref: 'ApiGatewayRestApi' },
        ResponseType,
        StatusCode: String(status),
        ResponseParameters: asParameters(headers),
        ResponseTemplates: { 'application/json': body.replace(requestId, `$${requestId}`) },
      }
      return [id, { Type: 'AWS::ApiGateway::GatewayResponse', Properties }]
    }),
  )

/**
 * API Gateway's form of headers: a static value is in single quotes; without quotes it is a variable. A quote inside, which
 * only a URL can contain, is escaped.
 */
const asParameters = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      `gatewayresponse.header.${name}`,
      value === requestId ? value : `'${value.replaceAll("'", '%27')}'`,
    ]),
  )
