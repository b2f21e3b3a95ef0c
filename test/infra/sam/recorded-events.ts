/**
 * The events that SAM CLI 1.170.0 sent to the functions on 2026-11-21. It was started at 17:28:39.832 UTC, and curl sent
 * the requests at 17:28:44 and 17:28:48. Request id and time are those of the start of SAM CLI.
 */
const requestContext = {
  resourceId: '123456',
  apiId: '1234567890',
  requestId: '14173d2d-7904-4044-9530-1b5b390abf30',
  accountId: '123456789012',
  stage: 'local',
  identity: {
    apiKey: null,
    userArn: null,
    cognitoAuthenticationType: null,
    caller: null,
    userAgent: 'Custom User Agent String',
    user: null,
    cognitoIdentityPoolId: null,
    cognitoAuthenticationProvider: null,
    sourceIp: '127.0.0.1',
    accountId: null,
  },
  extendedRequestId: null,
  protocol: 'HTTP/1.1',
  domainName: '127.0.0.1:3000',
  requestTimeEpoch: 1795282119832,
  requestTime: '21/Nov/2026:17:28:39 +0000',
}

const common = {
  body: null,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  stageVariables: null,
  isBase64Encoded: true,
}

/** curl --compressed -H 'Authorization: Bearer TOKEN' -H 'Prefer: respond-async' -H 'prefer: wait=5' */
export const listEvent = {
  ...common,
  httpMethod: 'GET',
  resource: '/api/v2/saml',
  path: '/api/v2/saml',
  pathParameters: null,
  requestContext: {
    ...requestContext,
    resourcePath: '/api/v2/saml',
    path: '/api/v2/saml',
    httpMethod: 'GET',
  },
  headers: {
    Host: '127.0.0.1:3000',
    'User-Agent': 'curl/7.88.1',
    Accept: '*/*',
    'Accept-Encoding': 'deflate, gzip, br, zstd',
    Authorization: 'Bearer TOKEN',
    Prefer: 'respond-async,wait=5',
    'X-Forwarded-Proto': 'http',
    'X-Forwarded-Port': '3000',
  },
  multiValueHeaders: {
    Host: ['127.0.0.1:3000'],
    'User-Agent': ['curl/7.88.1'],
    Accept: ['*/*'],
    'Accept-Encoding': ['deflate, gzip, br, zstd'],
    Authorization: ['Bearer TOKEN'],
    Prefer: ['respond-async,wait=5'],
    'X-Forwarded-Proto': ['http'],
    'X-Forwarded-Port': ['3000'],
  },
}

/** curl -X DELETE -H 'Authorization: Bearer TOKEN' -H Accept: -H 'accept-encoding: gzip' */
export const deleteEvent = {
  ...common,
  httpMethod: 'DELETE',
  resource: '/api/v2/saml/providers/{saml_provider_id}',
  path: '/api/v2/saml/providers/1',
  pathParameters: { saml_provider_id: '1' },
  requestContext: {
    ...requestContext,
    resourcePath: '/api/v2/saml/providers/{saml_provider_id}',
    path: '/api/v2/saml/providers/{saml_provider_id}',
    httpMethod: 'DELETE',
  },
  headers: {
    Host: '127.0.0.1:3000',
    'User-Agent': 'curl/7.88.1',
    Authorization: 'Bearer TOKEN',
    'Accept-Encoding': 'gzip',
    'X-Forwarded-Proto': 'http',
    'X-Forwarded-Port': '3000',
  },
  multiValueHeaders: {
    Host: ['127.0.0.1:3000'],
    'User-Agent': ['curl/7.88.1'],
    Authorization: ['Bearer TOKEN'],
    'Accept-Encoding': ['gzip'],
    'X-Forwarded-Proto': ['http'],
    'X-Forwarded-Port': ['3000'],
  },
}
