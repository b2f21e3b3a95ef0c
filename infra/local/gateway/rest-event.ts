import type { APIGatewayProxyEvent } from 'aws-lambda'

/** The parts of a request to a REST API that its event depends on. */
export interface RestRequest {
  method: string
  /** Path and query, not decoded. */
  target: string
  /** The path of the route, such as `/api/v2/saml/providers/{saml_provider_id}`. */
  resource: string
  /** The values of the route's variables, not decoded. */
  pathParameters: Record<string, string>
  /** Names and values of the header lines, alternating. */
  rawHeaders: readonly string[]
  body: Buffer
  sourceIp: string
  requestId: string
  /** When the gateway received it, in milliseconds since 1970. */
  receivedAtMs: number
}

/** Hop-by-hop headers (RFC 9110 §7.6.1), and `Expect`, which the gateway answers. */
const ownToConnection =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|expect)$/i

/**
 * The event of a REST API's Lambda proxy integration, without what only API Gateway knows: authorizer, account, identity.
 *
 * Because `binaryMediaTypes` is a wildcard, every body is base64. Path variables keep their percent-encoding; query
 * parameters do not.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html (input format)
 */
export function restEvent(request: RestRequest): APIGatewayProxyEvent {
  const { method, resource, rawHeaders, body } = request
  const [path = '', ...query] = request.target.split('?')
  const headers = grouped(headerLines(rawHeaders).filter(([name]) => !ownToConnection.test(name)))
  const parameters = grouped([...new URLSearchParams(query.join('?'))])
  return {
    resource,
    path,
    httpMethod: method,
    headers: headers.last,
    multiValueHeaders: headers.all,
    queryStringParameters: orNull(parameters.last),
    multiValueQueryStringParameters: orNull(parameters.all),
    pathParameters: orNull(request.pathParameters),
    stageVariables: null,
    requestContext: {
      extendedRequestId: `extended-${request.requestId}`,
      httpMethod: method,
      identity: { sourceIp: request.sourceIp },
      path: `/local${path}`,
      requestId: request.requestId,
      requestTimeEpoch: request.receivedAtMs,
      resourcePath: resource,
      stage: 'local',
    },
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  } as APIGatewayProxyEvent
}

const headerLines = (raw: readonly string[]) =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as [string, string]] : []))

/** For each name all values, and the last value. */
function grouped(pairs: [string, string][]) {
  const all = Object.entries(Object.groupBy(pairs, ([name]) => name)).map(
    ([name, lines = []]) => [name, lines.map(([, value]) => value)] as const,
  )
  return {
    all: Object.fromEntries(all),
    last: Object.fromEntries(all.map(([name, values]) => [name, values.at(-1)])),
  }
}

const orNull = <T extends object>(values: T) => (Object.keys(values).length === 0 ? null : values)
