import { expect, test } from 'vitest'
import { nameDeployment } from '../../../infra/serverless/api-deployment.ts'
import { routes } from '../../../infra/serverless/service-definition.ts'
import { elsewhere, everythingOn, type Packaged, packagedOnce, type Properties } from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { properties } = deployment
const buffered = packagedOnce('dev', elsewhere)

// test/openapi has their bodies and headers.
test('API Gateway has an answer of its own for each refusal', () => {
  const codes = properties('AWS::ApiGateway::GatewayResponse').map(response => {
    const { ResponseType, StatusCode, ResponseParameters, ResponseTemplates } = response
    const { status, code, request_id } = JSON.parse(ResponseTemplates['application/json'])
    expect([String(status), request_id]).toEqual([StatusCode, '$context.requestId'])
    expect(ResponseParameters).toMatchObject({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.X-Request-Id': 'context.requestId',
      ...(code !== 'route_not_found' && {
        'gatewayresponse.header.Deprecation': expect.stringMatching(/^'@\d+'$/),
        'gatewayresponse.header.Sunset': "'Wed, 30 Jun 2027 00:00:00 GMT'",
        'gatewayresponse.header.Link': expect.stringContaining('https://docs.example.com/what%27s-new'),
      }),
    })
    return [ResponseType, code]
  })
  expect(Object.fromEntries(codes)).toEqual({
    MISSING_AUTHENTICATION_TOKEN: 'route_not_found',
    DEFAULT_4XX: 'route_not_found',
    ACCESS_DENIED: 'access_refused', // by the API's resource policy
    WAF_FILTERED: 'access_refused',
    REQUEST_TOO_LARGE: 'request_too_large',
    THROTTLED: 'too_many_requests',
    QUOTA_EXCEEDED: 'too_many_requests',
    DEFAULT_5XX: 'internal_error',
  })
})

test('the API is a regional one with binary bodies', () =>
  expect(properties('AWS::ApiGateway::RestApi')).toMatchObject([
    { EndpointConfiguration: { Types: ['REGIONAL'] }, BinaryMediaTypes: ['*/*'] },
  ]))

test('the stage is throttled as the parameters say', () => {
  const [stage] = properties('AWS::ApiGateway::Stage')
  const ofAll = { HttpMethod: '*', ResourcePath: '/*' }
  const MethodSettings = [
    { ...ofAll, ThrottlingRateLimit: `${everythingOn.throttleRate}`, ThrottlingBurstLimit: 100 },
  ]
  expect(stage).toMatchObject({ StageName: 'prod', MethodSettings })
})

test('the access log has the address of the client but no token or body', () => {
  const [{ AccessLogSetting }] = buffered.properties('AWS::ApiGateway::Stage') as [Properties]
  const [condition, { Format }] = AccessLogSetting['Fn::If']
  expect(buffered.conditions[condition]).toEqual({ 'Fn::Equals': [true, true] })
  expect(JSON.parse(Format)).toMatchObject({ source_ip: '$context.identity.sourceIp' })
  expect(Format).not.toMatch(/authorizer|input|header/i)
})

test('the outputs have the URLs of the routes', () => {
  const { ListUrl, DeleteUrl } = deployment.outputs
  expect(ListUrl?.Value['Fn::Sub']).toMatch(/^https:\/\/[^/]+\/prod\/api\/v2\/saml$/)
  expect(DeleteUrl?.Value['Fn::Sub']).toBe(`${ListUrl?.Value['Fn::Sub']}/providers/{saml_provider_id}`)
})

test('functions and gateway have the time limit of the parameters', () => {
  const timesOf = ({ properties }: Packaged) =>
    properties('AWS::ApiGateway::Method').map(({ Integration }, index) => [
      Integration.ResponseTransferMode,
      properties('AWS::Lambda::Function')[index]?.Timeout,
      Integration.TimeoutInMillis / 1000,
    ])
  const wanted = 'each route has response.transferMode in serverless.yml, and no time limit of its own'
  expect(timesOf(deployment), wanted).toEqual(routes.map(() => ['STREAM', 300, 300]))
  expect(timesOf(buffered), wanted).toEqual(routes.map(() => ['BUFFERED', 41, 41]))
})

// The functions read the first variable.
test('a path has at most one variable as its last part', () => {
  for (const { path } of routes) expect(path).toMatch(/^[^{}/][^{}]*(\/\{\w+\})?$/)
})

test("the API's deployment comes after all of the API", () => {
  const before = Object.entries(deployment.resources).filter(([, { Type }]) =>
    /^AWS::ApiGateway::(Method|GatewayResponse)$/.test(Type),
  )
  const [made] = deployment.ofType('AWS::ApiGateway::Deployment')
  expect(made?.DependsOn?.sort()).toEqual(before.map(([id]) => id).sort())
})

test('the stage alone names the deployment of its API', () => {
  const [{ DeploymentId }] = properties('AWS::ApiGateway::Stage') as [Properties]
  const Properties = { RestApiId: { Ref: 'ApiGatewayRestApi' } } // with a StageName, it would make a stage
  expect(deployment.ofType('AWS::ApiGateway::Deployment')).toHaveLength(1)
  expect(deployment.resources[DeploymentId.Ref]?.Properties).toEqual(Properties)
})

test("the API's deployment has another name only where the API is another", () => {
  /** The name of the deployment in a template whose API and functions are these. */
  const nameOf = (id: string, { path = 'saml', memory = 1024 }) => {
    const Resources: Record<string, Properties> = {
      Api: { Type: 'AWS::ApiGateway::Method', Properties: { path } },
      List: { Type: 'AWS::Lambda::Function', Properties: { memory } },
      ApiGatewayStage: { Type: 'AWS::ApiGateway::Stage', Properties: {} },
      [id]: { Type: 'AWS::ApiGateway::Deployment', Properties: {}, DependsOn: ['Api'] },
    }
    nameDeployment({ Resources })
    return Object.keys(Resources)
      .filter(name => name.startsWith('ApiGatewayDeployment'))
      .join()
  }
  const name = nameOf('ApiGatewayDeployment1', {})
  expect(nameOf('ApiGatewayDeployment2', { memory: 2048 })).toBe(name)
  expect(nameOf('ApiGatewayDeployment1', { path: 'other' })).not.toBe(name)
})
