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

const made = packagedOnce('prod', everythingOn)
const ofType: Packaged['ofType'] = type => made.ofType(type)
const properties: Packaged['properties'] = type => made.properties(type)

describe('the package', () => {
  test('is made without an account, and without a warning', () => {
    expect(made.said).toContain('Service packaged')
    expect(made.said).not.toMatch(/warn|deprecation/i)
  })

  test('says what it announces, where it lies, how large its code is, and what comes next', () => {
    const zip = readFileSync(join(made.folder, 'deprecated-saml-endpoints.zip'))
    expect(made.said).toContain('deprecated since 2025-01-01T00:00:00Z, the default')
    expect(made.said).toContain('; sunset at 2027-06-30T00:00:00Z, enforced.\n')
    expect(made.said).toContain(
      `The package is in ${made.folder}: the template, and ${Math.round(zip.length / 1000)} KB of code.\nNext: npm run deploy `,
    )
  })

  test('holds one zip of at most 250 KB, without source maps or sources', () => {
    const zip = readFileSync(join(made.folder, 'deprecated-saml-endpoints.zip'))
    expect(zip.length).toBeLessThanOrEqual(250_000) // 207 KB in 2026-11, and a fifth
    const names = namesInZip(zip)
    expect(names.filter(name => !/^\.build\/functions\/(chunks\/)?[\w-]+\.mjs$/.test(name))).toEqual([])
    expect(names).toContain('.build/functions/list-saml-providers.mjs')
    expect(names).toContain('.build/functions/delete-saml-provider.mjs')
  })

  test('holds what was asked for, though another one is made at the same time', async () => {
    const realms = ['one', 'other', 'third']
    const packages = await Promise.all(realms.map(realm => packaged('dev', { realm })))
    const packagedRealms = packages.map(each =>
      each.properties('AWS::Lambda::Function').map(({ Environment }) => Environment.Variables.REALM),
    )
    expect(packagedRealms).toEqual(realms.map(realm => [realm, realm, realm]))
  })

  test('outputs the URLs and the table', () => {
    expect(Object.keys(made.outputs)).toEqual(
      expect.arrayContaining(['TableName', 'ListUrl', 'DeleteUrl', 'DashboardUrl']),
    )
  })
})

describe('the API', () => {
  test('is a regional REST API that hands base64 bodies out as bytes', () => {
    expect(properties('AWS::ApiGateway::RestApi')).toMatchObject([
      { EndpointConfiguration: { Types: ['REGIONAL'] }, BinaryMediaTypes: ['*/*'] },
    ])
  })

  test('has the two routes and no other', () => {
    const pathOf = (id: string): string => {
      const { ParentId, PathPart } = made.resources[id]?.Properties ?? {}
      return `${ParentId.Ref === undefined ? '' : pathOf(ParentId.Ref)}/${PathPart}`
    }
    const routes = properties('AWS::ApiGateway::Method').map(
      ({ HttpMethod, ResourceId }) => `${HttpMethod} ${pathOf(ResourceId.Ref)}`,
    )
    expect(routes.sort()).toEqual(['DELETE /api/v2/saml/providers/{saml_provider_id}', 'GET /api/v2/saml'])
  })

  test('is deployed after its own answers exist', () => {
    const answers = Object.keys(made.resources).filter(
      id => made.resources[id]?.Type === 'AWS::ApiGateway::GatewayResponse',
    )
    expect(answers.length).toBeGreaterThan(0)
    for (const deployment of ofType('AWS::ApiGateway::Deployment'))
      expect(deployment.DependsOn).toEqual(expect.arrayContaining(answers))
  })

  test('gives answers whose body says its status and whose headers are those of every error', () => {
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

  test('calls the two endpoints deprecated, and no other path', () => {
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
  test('is the only one, admits so many calls and no more, and is traced', () => {
    const [deployment] = Object.keys(made.resources).filter(id => /^ApiGatewayDeployment\d+$/.test(id))
    expect(properties('AWS::ApiGateway::Stage')).toMatchObject([
      {
        DeploymentId: { Ref: deployment },
        StageName: 'prod',
        TracingEnabled: true,
        MethodSettings: [
          { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
        ],
      },
    ])
    expect(properties('AWS::ApiGateway::Deployment')).toMatchObject([{ StageName: { Ref: 'AWS::NoValue' } }])
    for (const name of ['ListUrl', 'DeleteUrl'])
      expect(JSON.stringify(made.outputs[name]?.Value)).toContain('/prod/api/v2/saml')
  })

  test('logs what the gateway alone knows, and neither tokens nor bodies', () => {
    const [{ AccessLogSetting }] = properties('AWS::ApiGateway::Stage') as [Properties]
    expect(JSON.parse(AccessLogSetting.Format)).toMatchObject({ status: '$context.status' })
    expect(AccessLogSetting.Format).not.toMatch(/authorizer|input|header/i)
    expect(AccessLogSetting.DestinationArn).toEqual({ 'Fn::GetAtt': ['ApiGatewayLogGroup', 'Arn'] })
  })
})

describe('each function', () => {
  test('runs on Node 24 and arm64 with 1,024 MB, and its settings are plain text', () => {
    const functions = properties('AWS::Lambda::Function')
    expect(functions).toHaveLength(3)
    for (const one of functions) {
      expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 1024 })
      for (const value of Object.values(one.Environment.Variables)) expect(value).toBeTypeOf('string')
    }
  })

  test('has a role of its own, and a log that does not grow for ever', () => {
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
  test('is kept when the stack goes, protected, encrypted, restorable, and forgets what has expired', () => {
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
