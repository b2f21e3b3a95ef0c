import { expect, test } from 'vitest'
import { ofGateway } from '../../../infra/resources/cloudwatch.ts'
import { nameDeployment } from '../../../infra/serverless/api-deployment.ts'
import { routes } from '../../../infra/serverless/service-definition.ts'
import { elsewhere, everythingOn, type Packaged, packagedOnce, type Properties } from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { properties } = deployment
const onItsDomain = packagedOnce('dev', elsewhere)

// test/openapi has their bodies and headers.
test('API Gateway has an answer of its own for each refusal', () => {
  const codes = properties('AWS::ApiGateway::GatewayResponse').map(one => {
    const { ResponseType, StatusCode, ResponseParameters, ResponseTemplates } = one
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

test('the stage is throttled and traced', () => {
  const [stage] = properties('AWS::ApiGateway::Stage')
  const ofAll = { HttpMethod: '*', ResourcePath: '/*' }
  const MethodSettings = [{ ...ofAll, ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 }]
  expect(stage).toMatchObject({ StageName: 'prod', TracingEnabled: true, MethodSettings })
})

test('the access log has the address of the client, and neither token nor body', () => {
  const [{ AccessLogSetting }] = properties('AWS::ApiGateway::Stage') as [Properties]
  const { Format, DestinationArn } = AccessLogSetting
  expect(JSON.parse(Format)).toMatchObject({ source_ip: '$context.identity.sourceIp' })
  expect(Format).not.toMatch(/authorizer|input|header/i)
  expect(DestinationArn).toEqual({ 'Fn::GetAtt': ['ApiGatewayLogGroup', 'Arn'] })
})

test('the metrics of the gateway are looked for by its name', () => {
  const [api] = properties('AWS::ApiGateway::RestApi')
  const deployed = { service: 'deprecated-saml-endpoints', stageName: 'prod', tableName: '', functions: [] }
  expect(ofGateway(deployed)('Count').dimensions).toEqual({ ApiName: api?.Name, Stage: 'prod' })
})

test('an API behind its custom domain has no URL of its stage', () => {
  const [api] = onItsDomain.properties('AWS::ApiGateway::RestApi')
  expect(api).toMatchObject({ DisableExecuteApiEndpoint: true })
  for (const [name, path] of [
    ['ListUrl', '/prod/api/v2/saml'],
    ['DeleteUrl', '/prod/api/v2/saml/providers/'],
  ] as const) {
    expect(deployment.outputs[name]?.Value['Fn::Sub']).toMatch(new RegExp(`^https://[^/]+${path}$`))
    expect(onItsDomain.outputs).not.toHaveProperty(name)
  }
})

test('functions and gateway have the same time limit', () => {
  const timesOf = ({ properties }: Packaged) =>
    properties('AWS::ApiGateway::Method').map(({ Integration }, index) => [
      Integration.ResponseTransferMode,
      properties('AWS::Lambda::Function')[index]?.Timeout,
      Integration.TimeoutInMillis / 1000,
    ])
  const wanted = 'each route has response.transferMode in serverless.yml, and no time limit of its own'
  expect(timesOf(deployment), wanted).toEqual(routes.map(() => ['STREAM', 150, 150]))
  expect(timesOf(onItsDomain), wanted).toEqual(routes.map(() => ['BUFFERED', 29, 29]))
})

test("the API's deployment follows all of the API", () => {
  const isBefore = ({ Type }: { Type: string }) => /^AWS::ApiGateway::(Method|GatewayResponse)$/.test(Type)
  const before = Object.entries(deployment.resources).flatMap(([id, one]) => (isBefore(one) ? [id] : []))
  expect(before.length).toBeGreaterThan(routes.length)
  const [made, ...others] = deployment.ofType('AWS::ApiGateway::Deployment')
  expect([made?.DependsOn?.sort(), others]).toEqual([before.sort(), []])
  expect(made?.Properties).toEqual({ RestApiId: { Ref: 'ApiGatewayRestApi' } })
  const [{ DeploymentId }] = properties('AWS::ApiGateway::Stage') as [Properties]
  expect(deployment.resources[DeploymentId.Ref]).toBe(made)
})

test("the API's deployment has another name only where the API is another", () => {
  /** The names of the deployments in a template whose API and functions are these. */
  const namesOf = (id: string, { path = 'saml', memory = 1024 }) => {
    const Resources: Record<string, Properties> = {
      Api: { Type: 'AWS::ApiGateway::Method', Properties: { path } },
      List: { Type: 'AWS::Lambda::Function', Properties: { memory } },
      ApiGatewayStage: { Type: 'AWS::ApiGateway::Stage', Properties: {} },
      [id]: { Type: 'AWS::ApiGateway::Deployment', Properties: {}, DependsOn: ['Api'] },
    }
    nameDeployment({ Resources })
    return Object.keys(Resources).filter(name => name.startsWith('ApiGatewayDeployment'))
  }
  const names = namesOf('ApiGatewayDeployment1', {})
  expect(names).toHaveLength(1)
  expect(namesOf('ApiGatewayDeployment2', { memory: 2048 })).toEqual(names)
  expect(namesOf('ApiGatewayDeployment1', { path: 'other' })).not.toEqual(names)
})
