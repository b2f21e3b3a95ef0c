import { describe, expect, test } from 'vitest'
import { routes } from '../../../infra/serverless/service-definition.ts'
import { nameDeployment } from '../../../infra/serverless/api-deployment.ts'
import { type Packaged, type Properties, packagedOnce } from './packaged.ts'
import { elsewhere, everythingOn } from './stages.ts'

const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment
const onItsDomain = packagedOnce('dev', elsewhere)

describe('the API', () => {
  test('is a regional REST API that sends base64 bodies as bytes', () => {
    expect(properties('AWS::ApiGateway::RestApi')).toMatchObject([
      { EndpointConfiguration: { Types: ['REGIONAL'] }, BinaryMediaTypes: ['*/*'] },
    ])
  })

  test('is deployed after its routes and gateway responses', () => {
    const isBefore = ({ Type }: { Type: string }) => /^AWS::ApiGateway::(Method|GatewayResponse)$/.test(Type)
    const before = Object.entries(deployment.resources).flatMap(([id, one]) => (isBefore(one) ? [id] : []))
    expect(before.length).toBeGreaterThan(routes.length)
    for (const { DependsOn } of ofType('AWS::ApiGateway::Deployment'))
      expect(DependsOn?.sort()).toEqual(before.sort())
  })

  const answers = () => properties('AWS::ApiGateway::GatewayResponse')
  const problemOf = ({ ResponseTemplates }: Properties) => JSON.parse(ResponseTemplates['application/json'])

  test("answers by itself with the members and headers of the service's errors", () => {
    for (const answer of answers()) {
      const problem = problemOf(answer)
      expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id'])
      expect([String(problem.status), problem.request_id]).toEqual([answer.StatusCode, '$context.requestId'])
      expect('gatewayresponse.header.Retry-After' in answer.ResponseParameters).toBe(problem.status === 429)
      expect(answer.ResponseParameters).toMatchObject({
        'gatewayresponse.header.Content-Type': "'application/problem+json'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      })
    }
  })

  test('refuses by the codes that are documented', () => {
    expect(Object.fromEntries(answers().map(one => [one.ResponseType, problemOf(one).code]))).toEqual({
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

  test('announces the deprecation of the two endpoints only', () => {
    for (const { StatusCode, ResponseParameters } of answers()) {
      if (StatusCode === '404')
        expect(Object.keys(ResponseParameters).join()).not.toMatch(/Deprecation|Sunset|Link/)
      else
        expect(ResponseParameters).toMatchObject({
          'gatewayresponse.header.Deprecation': expect.stringMatching(/^'@\d+'$/),
          'gatewayresponse.header.Sunset': "'Wed, 30 Jun 2027 00:00:00 GMT'",
          'gatewayresponse.header.Link': expect.stringContaining('https://docs.example.com/what%27s-new'),
        })
    }
  })
})

describe('the stage', () => {
  test('is the only one, is throttled, and is traced', () => {
    const [deploymentId] = Object.keys(deployment.resources).filter(id =>
      id.startsWith('ApiGatewayDeployment'),
    )
    expect(properties('AWS::ApiGateway::Stage')).toMatchObject([
      {
        DeploymentId: { Ref: deploymentId },
        StageName: 'prod',
        TracingEnabled: true,
        MethodSettings: [
          { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
        ],
      },
    ])
    expect(properties('AWS::ApiGateway::Deployment')).toEqual([{ RestApiId: { Ref: 'ApiGatewayRestApi' } }])
    for (const name of ['ListUrl', 'DeleteUrl'])
      expect(JSON.stringify(deployment.outputs[name]?.Value)).toContain('/prod/api/v2/saml')
  })

  test('has no URL of its own when the API answers only under its custom domain', () => {
    const [api] = onItsDomain.properties('AWS::ApiGateway::RestApi')
    expect(api).toMatchObject({ DisableExecuteApiEndpoint: true })
    expect(onItsDomain.outputs).not.toHaveProperty('ListUrl')
    expect(onItsDomain.outputs).not.toHaveProperty('DeleteUrl')
  })

  test('logs neither tokens nor bodies', () => {
    const [{ AccessLogSetting }] = properties('AWS::ApiGateway::Stage') as [Properties]
    expect(JSON.parse(AccessLogSetting.Format)).toMatchObject({ status: '$context.status' })
    expect(AccessLogSetting.Format).not.toMatch(/authorizer|input|header/i)
    expect(AccessLogSetting.DestinationArn).toEqual({ 'Fn::GetAtt': ['ApiGatewayLogGroup', 'Arn'] })
  })
})

describe('each endpoint and its gateway integration', () => {
  /** The transfer mode and the time limits, in seconds, of each method and its function. */
  const timesOf = ({ properties }: Packaged) =>
    properties('AWS::ApiGateway::Method').map(({ Integration }, index) => [
      Integration.ResponseTransferMode,
      properties('AWS::Lambda::Function')[index]?.Timeout,
      Integration.TimeoutInMillis / 1000,
    ])

  const wanted = 'each route has response.transferMode in serverless.yml, and no time limit of its own'

  test('stream, and have the same time limit for the sending', () => {
    expect(timesOf(deployment), wanted).toEqual(routes.map(() => ['STREAM', 150, 150]))
  })

  test('have a second more than the maximum wait when answers are buffered', () => {
    expect(timesOf(onItsDomain), wanted).toEqual(routes.map(() => ['BUFFERED', 29, 29]))
  })
})

/** The names of the deployments in a template whose API and functions are these. */
function deploymentsOf(id: string, { path = 'saml', memory = 1024 }) {
  const Resources: Record<string, object> = {
    Api: { Type: 'AWS::ApiGateway::Method', Properties: { path } },
    List: { Type: 'AWS::Lambda::Function', Properties: { memory } },
    ApiGatewayStage: { Type: 'AWS::ApiGateway::Stage', Properties: {} },
    [id]: { Type: 'AWS::ApiGateway::Deployment', Properties: { StageName: 'prod' }, DependsOn: ['Api'] },
  }
  nameDeployment({ Resources })
  return Object.keys(Resources).filter(name => name.startsWith('ApiGatewayDeployment'))
}

test("the API's deployment has another name only where the API is another", () => {
  const names = deploymentsOf('ApiGatewayDeployment1', {})
  expect(names).toHaveLength(1)
  expect(deploymentsOf('ApiGatewayDeployment2', { memory: 2048 })).toEqual(names)
  expect(deploymentsOf('ApiGatewayDeployment1', { path: 'other' })).not.toEqual(names)
})
