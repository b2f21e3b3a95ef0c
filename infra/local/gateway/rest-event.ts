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

/** The name of the API's stage. */
const stage = 'local'

/** Hop-by-hop headers (RFC 9110 §7.6.1), and `Expect`, which the gateway answers. */
const ownToConnection =
  /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|expect)$/i

/** The identity of a caller without an AWS signature, an API key or a certificate. */
const unsigned = {
  ...{ accessKey: null, accountId: null, apiKey: null, apiKeyId: null, caller: null, clientCert: null },
  ...{ cognitoAuthenticationProvider: null, cognitoAuthenticationType: null, cognitoIdentityId: null },
  ...{ cognitoIdentityPoolId: null, principalOrgId: null, user: null, userArn: null },
}

/**
 * The event of a REST API's Lambda proxy integration, without authorizer and stage variables.
 *
 * Because `binaryMediaTypes` is a wildcard, every body is base64. Path variables keep their percent-encoding; query
 * parameters do not.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html (input format)
 */
export function restEvent(request: RestRequest): APIGatewayProxyEvent {
  const { method, resource, rawHeaders, body, receivedAtMs } = request
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
      accountId: '000000000000',
      apiId: 'local',
      authorizer: undefined,
      domainName: '127.0.0.1',
      domainPrefix: '127',
      extendedRequestId: `extended-${request.requestId}`,
      httpMethod: method,
      identity: {
        ...unsigned,
        sourceIp: request.sourceIp,
        userAgent: headers.last['User-Agent'] ?? headers.last['user-agent'] ?? null,
      },
      path: `/${stage}${path}`,
      protocol: 'HTTP/1.1',
      requestId: request.requestId,
      requestTime: requestTime(receivedAtMs),
      requestTimeEpoch: receivedAtMs,
      resourceId: 'local',
      resourcePath: resource,
      stage,
    },
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  }
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

/** Such as `04/Mar/2020:19:15:17 +0000`. */
function requestTime(ms: number): string {
  const [, day, month, year, time] = new Date(ms).toUTCString().split(' ')
  return `${day}/${month}/${year}:${time} +0000`
}
