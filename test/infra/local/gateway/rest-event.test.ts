import { describe, expect, test } from 'vitest'
import { restEvent } from '../../../../infra/local/gateway/rest-event.ts'

const headers = {
  Accept: '*/*',
  'Accept-Encoding': 'gzip, deflate',
  'cache-control': 'no-cache',
  'Content-Type': 'application/json',
  headerName: 'headerValue',
  Host: 'gy415nuibc.execute-api.us-east-1.amazonaws.com',
  'User-Agent': 'PostmanRuntime/2.4.5',
}

/** Members of `identity` that are null, as nothing authorizes the request. */
const nulls = [
  ...[
    'accessKey',
    'accountId',
    'apiKey',
    'apiKeyId',
    'caller',
    'clientCert',
    'principalOrgId',
    'user',
    'userArn',
  ],
  ...['AuthenticationProvider', 'AuthenticationType', 'IdentityId', 'IdentityPoolId'].map(
    name => `cognito${name}`,
  ),
]

/** The request of the documented event, with the header lines that the event shows. */
const request = {
  method: 'POST',
  target: '/hello/world?name=me&multivalueName=you&multivalueName=me',
  resource: '/{proxy+}',
  pathParameters: { proxy: 'hello/world' },
  rawHeaders: Object.entries(headers).flat(),
  body: Buffer.from('{\r\n\t"a": 1\r\n}'),
  sourceIp: '192.168.196.186',
  requestId: 'deef4878-7910-11e6-8f14-25afc3e9ae33',
  receivedAtMs: 1_519_166_937_665,
}
const ofTheApi = expect.any(String)

/**
 * The event of AWS's documentation. It comes from an API without binary media types, so its body is text there. It lists
 * `multivalueName` twice, as the query of the request does. `requestContext` has the members of both examples of that
 * page, and those that the page on payload format 1.0, which is the format of REST APIs, adds; `apiKeyId` is a member of
 * $context.identity.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html (input format)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html (format 1.0)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html ($context)
 */
const documented = {
  resource: '/{proxy+}',
  path: '/hello/world',
  httpMethod: 'POST',
  headers,
  multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  queryStringParameters: { name: 'me', multivalueName: 'me' },
  multiValueQueryStringParameters: { name: ['me'], multivalueName: ['you', 'me'] },
  pathParameters: { proxy: 'hello/world' },
  stageVariables: null,
  body: request.body.toString('base64'),
  isBase64Encoded: true,
  requestContext: {
    ...{ accountId: ofTheApi, apiId: ofTheApi, domainName: ofTheApi, domainPrefix: ofTheApi },
    ...{ extendedRequestId: ofTheApi, path: ofTheApi, resourceId: ofTheApi, stage: ofTheApi },
    httpMethod: 'POST',
    requestId: 'deef4878-7910-11e6-8f14-25afc3e9ae33',
    requestTime: '20/Feb/2018:22:48:57 +0000',
    requestTimeEpoch: 1_519_166_937_665,
    resourcePath: '/{proxy+}',
    protocol: 'HTTP/1.1',
    identity: {
      ...Object.fromEntries(nulls.map(name => [name, null])),
      sourceIp: '192.168.196.186',
      userAgent: 'PostmanRuntime/2.4.5',
    },
  },
}

const eventOf = (changes: Partial<Parameters<typeof restEvent>[0]>) => restEvent({ ...request, ...changes })
const withHeaders = (...rawHeaders: string[]) => eventOf({ rawHeaders })

test('the event of a request has the documented members and values, and no others', () => {
  expect(JSON.parse(JSON.stringify(restEvent(request)))).toEqual(documented)
})

test('without a body, it is null', () => {
  expect(eventOf({ body: Buffer.alloc(0) })).toMatchObject({ body: null, isBase64Encoded: false })
})

describe('header lines', () => {
  test('of one name are all in multiValueHeaders in order, and only the last one is in headers', () => {
    const lines = [...['Prefer', 'wait=1'], ...['X', 'y'], ...['Prefer', 'wait=2']]
    expect(withHeaders(...lines)).toMatchObject({
      headers: { Prefer: 'wait=2', X: 'y' },
      multiValueHeaders: { Prefer: ['wait=1', 'wait=2'], X: ['y'] },
    })
  })

  test('of names that differ in case are not merged', () => {
    expect(withHeaders('Authorization', 'a', 'authorization', 'b').multiValueHeaders).toEqual({
      Authorization: ['a'],
      authorization: ['b'],
    })
  })

  test('of the connection are omitted', () => {
    expect(
      withHeaders('Connection', 'close', 'TE', 'gzip', 'Expect', '100-continue', 'X', 'y').headers,
    ).toEqual({
      X: 'y',
    })
  })

  test('may have the names of properties that every object inherits', () => {
    const lines = ['__proto__', 'a', 'constructor', 'b', 'toString', 'c']
    expect(Object.entries(withHeaders(...lines).headers).flat()).toEqual(lines)
  })
})

describe('the target', () => {
  test('without query and path parameters gives null for both', () => {
    expect(eventOf({ target: '/hello', pathParameters: {} })).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    })
  })

  test('stays encoded in the path and is decoded in the query, where a second ? is a character', () => {
    expect(eventOf({ target: '/a%2Fb?c=%2F&d=e?f#g' })).toMatchObject({
      path: '/a%2Fb',
      queryStringParameters: { c: '/', d: 'e?f#g' },
    })
  })
})
