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
    'cognitoAuthenticationProvider',
  ],
  ...['cognitoAuthenticationType', 'cognitoIdentityId', 'cognitoIdentityPoolId', 'principalOrgId', 'user'],
  'userArn',
]

/**
 * The example of AWS's documentation: a request and its event.
 *
 * The request has the header lines that the documented event shows. The documented event comes from an API without
 * binary media types, so its body is text; it lists `multivalueName` twice, as the query of the request does.
 * `requestContext` has the members of both examples of that page, and those that the page on payload format 1.0, which
 * is the format of REST APIs, adds (`domainName`, `domainPrefix`, `extendedRequestId`, `authorizer`, and in `identity`
 * `accessKey`, `principalOrgId`, `clientCert`); `apiKeyId` is a member of $context.identity.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html (input format)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html (format 1.0)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html ($context)
 */
export const documented = {
  request: {
    method: 'POST',
    target: '/hello/world?name=me&multivalueName=you&multivalueName=me',
    resource: '/{proxy+}',
    pathParameters: { proxy: 'hello/world' },
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.from('{\r\n\t"a": 1\r\n}'),
    sourceIp: '192.168.196.186',
    requestId: 'deef4878-7910-11e6-8f14-25afc3e9ae33',
    receivedAtMs: 1_519_166_937_665,
  },
  event: {
    resource: '/{proxy+}',
    path: '/hello/world',
    httpMethod: 'POST',
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: { name: 'me', multivalueName: 'me' },
    multiValueQueryStringParameters: { name: ['me'], multivalueName: ['you', 'me'] },
    pathParameters: { proxy: 'hello/world' },
    body: '{\r\n\t"a": 1\r\n}',
    requestContext: {
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
  },
  /** Members whose values depend on the API or the account, not on the request; all are strings. */
  ofTheApi: [
    ...['accountId', 'apiId', 'domainName', 'domainPrefix', 'extendedRequestId'],
    ...['path', 'resourceId', 'stage'],
  ],
  members: [
    ...['resource', 'path', 'httpMethod', 'headers', 'multiValueHeaders', 'queryStringParameters'],
    ...['multiValueQueryStringParameters', 'pathParameters', 'stageVariables', 'requestContext'],
    ...['body', 'isBase64Encoded'],
  ],
}
