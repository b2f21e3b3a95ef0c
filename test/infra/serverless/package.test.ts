import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  everythingOn,
  namesInZip,
  type Packaged,
  type Properties,
  packaged,
  packagedOnce,
} from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const ofType: Packaged['ofType'] = type => deployment.ofType(type)
const properties: Packaged['properties'] = type => deployment.properties(type)

describe('the package', () => {
  test('is created without an account and without a warning', () => {
    expect(deployment.printed).toContain('Service packaged')
    expect(deployment.printed).not.toMatch(/warn|deprecation/i)
  })

  test('is reported with the announced deprecation, its folder, the size of its code and the next step', () => {
    const zip = readFileSync(join(deployment.folder, 'deprecated-saml-endpoints.zip'))
    expect(deployment.printed).toContain('deprecated since 2025-01-01T00:00:00Z, the default')
    expect(deployment.printed).toContain('; sunset at 2027-06-30T00:00:00Z, enforced.\n')
    expect(deployment.printed).toContain(
      `The package is in ${deployment.folder}: the template, and ${Math.round(zip.length / 1000)} KB of code.\nNext: npm run deploy `,
    )
  })

  test('contains one zip of at most 250 KB, without source maps or sources', () => {
    const zip = readFileSync(join(deployment.folder, 'deprecated-saml-endpoints.zip'))
    expect(zip.length).toBeLessThanOrEqual(250_000) // 207 KB in 2026-11, plus 20 %
    const names = namesInZip(zip)
    expect(names.filter(name => !/^\.build\/functions\/(chunks\/)?[\w-]+\.mjs$/.test(name))).toEqual([])
    expect(names).toContain('.build/functions/list-saml-providers.mjs')
    expect(names).toContain('.build/functions/delete-saml-provider.mjs')
  })

  test('contains its own parameters when several packages are created concurrently', async () => {
    const realms = ['one', 'other', 'third']
    const packages = await Promise.all(realms.map(realm => packaged('dev', { realm })))
    const packagedRealms = packages.map(each =>
      each.properties('AWS::Lambda::Function').map(({ Environment }) => Environment.Variables.REALM),
    )
    expect(packagedRealms).toEqual(realms.map(realm => [realm, realm, realm]))
  })

  test('has the URLs and the table as outputs', () => {
    expect(Object.keys(deployment.outputs)).toEqual(
      expect.arrayContaining(['TableName', 'ListUrl', 'DeleteUrl', 'DashboardUrl']),
    )
  })
})

describe('the API', () => {
  test('is a regional REST API that sends base64 bodies as bytes', () => {
    expect(properties('AWS::ApiGateway::RestApi')).toMatchObject([
      { EndpointConfiguration: { Types: ['REGIONAL'] }, BinaryMediaTypes: ['*/*'] },
    ])
  })

  test('has only the two routes', () => {
    const pathOf = (id: string): string => {
      const { ParentId, PathPart } = deployment.resources[id]?.Properties ?? {}
      return `${ParentId.Ref === undefined ? '' : pathOf(ParentId.Ref)}/${PathPart}`
    }
    const routes = properties('AWS::ApiGateway::Method').map(
      ({ HttpMethod, ResourceId }) => `${HttpMethod} ${pathOf(ResourceId.Ref)}`,
    )
    expect(routes.sort()).toEqual(['DELETE /api/v2/saml/providers/{saml_provider_id}', 'GET /api/v2/saml'])
  })

  test('is deployed after its gateway responses', () => {
    const answers = Object.keys(deployment.resources).filter(
      id => deployment.resources[id]?.Type === 'AWS::ApiGateway::GatewayResponse',
    )
    expect(answers.length).toBeGreaterThan(0)
    for (const { DependsOn } of ofType('AWS::ApiGateway::Deployment'))
      expect(DependsOn).toEqual(expect.arrayContaining(answers))
  })

  test("has gateway responses with the members and headers of the service's errors", () => {
    const answers = properties('AWS::ApiGateway::GatewayResponse')
    expect(answers.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['MISSING_AUTHENTICATION_TOKEN', 'DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED']),
    )
    for (const { StatusCode, ResponseTemplates, ResponseParameters } of answers) {
      const problem = JSON.parse(ResponseTemplates['application/json'])
      expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id'])
      expect(String(problem.status)).toBe(StatusCode)
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Content-Type': "'application/problem+json'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      })
    }
  })

  test('announces the deprecation of the two endpoints only', () => {
    for (const { StatusCode, ResponseParameters } of properties('AWS::ApiGateway::GatewayResponse')) {
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
      /^ApiGatewayDeployment\d+$/.test(id),
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
    expect(properties('AWS::ApiGateway::Deployment')).toMatchObject([{ StageName: { Ref: 'AWS::NoValue' } }])
    for (const name of ['ListUrl', 'DeleteUrl'])
      expect(JSON.stringify(deployment.outputs[name]?.Value)).toContain('/prod/api/v2/saml')
  })

  test('logs neither tokens nor bodies', () => {
    const [{ AccessLogSetting }] = properties('AWS::ApiGateway::Stage') as [Properties]
    expect(JSON.parse(AccessLogSetting.Format)).toMatchObject({ status: '$context.status' })
    expect(AccessLogSetting.Format).not.toMatch(/authorizer|input|header/i)
    expect(AccessLogSetting.DestinationArn).toEqual({ 'Fn::GetAtt': ['ApiGatewayLogGroup', 'Arn'] })
  })
})

describe('each function', () => {
  test('runs on Node 24 and arm64 with 1,024 MB, and its variables are strings', () => {
    const functions = properties('AWS::Lambda::Function')
    expect(functions).toHaveLength(3)
    for (const one of functions) {
      expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 1024 })
      for (const value of Object.values(one.Environment.Variables)) expect(value).toBeTypeOf('string')
    }
  })

  test('has its own role, and a log group with a retention time', () => {
    const roles = properties('AWS::Lambda::Function').map(
      ({ Role }) => /^\$\{(\w+)\.Arn\}$/.exec(Role['Fn::Sub'])?.[1],
    )
    expect(roles).toEqual(['ListSamlProvidersRole', 'DeleteSamlProviderRole', 'FinishRemovalsRole'])
    expect(properties('AWS::IAM::Role')).toHaveLength(3)
    expect(properties('AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays)).toEqual([
      365, 365, 365, 365,
    ])
    const logs = properties('AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName)
    for (const { FunctionName } of properties('AWS::Lambda::Function'))
      expect(logs).toContain(`/aws/lambda/${FunctionName}`)
  })

  test('is traced', () => {
    for (const one of properties('AWS::Lambda::Function'))
      expect(one.TracingConfig).toEqual({ Mode: 'Active' })
  })
})

describe('the table', () => {
  test('is retained when the stack is deleted, protected, encrypted, restorable, and has a TTL', () => {
    const [table] = ofType('AWS::DynamoDB::Table')
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        TableName: 'saml-providers-prod',
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
      },
    })
  })
})
