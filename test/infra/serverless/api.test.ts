import { expect, test } from 'vitest'
import { routes } from '../../../infra/serverless/service-definition.ts'
import { nameDeployment } from '../../../infra/serverless/api-deployment.ts'
import { type Packaged, type Properties, packagedOnce } from './packaged.ts'
import { elsewhere, everythingOn } from './stages.ts'

const deployment = packagedOnce('prod', everythingOn)
const { properties } = deployment
const onItsDomain = packagedOnce('dev', elsewhere)

test("API Gateway answers by itself as the service does, and announces the deprecation of the endpoints' calls only", () => {
  const codes = properties('AWS::ApiGateway::GatewayResponse').map(one => {
    const { ResponseType, StatusCode, ResponseParameters: headers } = one
    const problem = JSON.parse(one.ResponseTemplates['application/json'])
    expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id'])
    expect([String(problem.status), problem.request_id]).toEqual([StatusCode, '$context.requestId'])
    expect('gatewayresponse.header.Retry-After' in headers).toBe(problem.status === 429)
    expect(headers).toMatchObject({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.X-Request-Id': 'context.requestId',
    })
    if (StatusCode === '404') expect(Object.keys(headers).join()).not.toMatch(/Deprecation|Sunset|Link/)
    else
      expect(headers).toMatchObject({
        'gatewayresponse.header.Deprecation': expect.stringMatching(/^'@\d+'$/),
        'gatewayresponse.header.Sunset': "'Wed, 30 Jun 2027 00:00:00 GMT'",
        'gatewayresponse.header.Link': expect.stringContaining('https://docs.example.com/what%27s-new'),
      })
    return [ResponseType, problem.code]
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

test('the stage is throttled and traced, and logs neither tokens nor bodies', () => {
  const [stage = {}] = properties('AWS::ApiGateway::Stage')
  const ofAll = { HttpMethod: '*', ResourcePath: '/*' }
  const MethodSettings = [{ ...ofAll, ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 }]
  expect(stage).toMatchObject({ StageName: 'prod', TracingEnabled: true, MethodSettings })
  const { Format, DestinationArn } = stage.AccessLogSetting
  expect(JSON.parse(Format)).toMatchObject({ source_ip: '$context.identity.sourceIp' })
  expect(Format).not.toMatch(/authorizer|input|header/i)
  expect(DestinationArn).toEqual({ 'Fn::GetAtt': ['ApiGatewayLogGroup', 'Arn'] })
})

test('the API has the URLs of its stage, and none when it answers only under its custom domain', () => {
  const [api] = onItsDomain.properties('AWS::ApiGateway::RestApi')
  expect(api).toMatchObject({ DisableExecuteApiEndpoint: true })
  for (const name of ['ListUrl', 'DeleteUrl']) {
    expect(JSON.stringify(deployment.outputs[name]?.Value)).toContain('/prod/api/v2/saml')
    expect(onItsDomain.outputs).not.toHaveProperty(name)
  }
})

test('functions and gateway have the same time limit: that of streams, or a second more than the maximum wait', () => {
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

/** The names of the deployments in a template whose API and functions are these. */
function deploymentsOf(id: string, { path = 'saml', memory = 1024 }) {
  const Resources: Record<string, Properties> = {
    Api: { Type: 'AWS::ApiGateway::Method', Properties: { path } },
    List: { Type: 'AWS::Lambda::Function', Properties: { memory } },
    ApiGatewayStage: { Type: 'AWS::ApiGateway::Stage', Properties: {} },
    [id]: { Type: 'AWS::ApiGateway::Deployment', Properties: { StageName: 'prod' }, DependsOn: ['Api'] },
  }
  nameDeployment({ Resources })
  return Object.keys(Resources).filter(name => name.startsWith('ApiGatewayDeployment'))
}

test("the API's deployment follows all of the API, makes no stage, and has another name only where the API is another", () => {
  const isBefore = ({ Type }: { Type: string }) => /^AWS::ApiGateway::(Method|GatewayResponse)$/.test(Type)
  const before = Object.entries(deployment.resources).flatMap(([id, one]) => (isBefore(one) ? [id] : []))
  expect(before.length).toBeGreaterThan(routes.length)
  const [made, ...others] = deployment.ofType('AWS::ApiGateway::Deployment')
  expect([made?.DependsOn?.sort(), others]).toEqual([before.sort(), []])
  expect(made?.Properties).toEqual({ RestApiId: { Ref: 'ApiGatewayRestApi' } })
  const [{ DeploymentId }] = properties('AWS::ApiGateway::Stage') as [Properties]
  expect(deployment.resources[DeploymentId.Ref]).toBe(made)

  const names = deploymentsOf('ApiGatewayDeployment1', {})
  expect(names).toHaveLength(1)
  expect(deploymentsOf('ApiGatewayDeployment2', { memory: 2048 })).toEqual(names)
  expect(deploymentsOf('ApiGatewayDeployment1', { path: 'other' })).not.toEqual(names)
})
