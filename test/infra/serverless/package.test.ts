import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaults, endpoints, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { elsewhere, everythingOn, type Packaged, packagedOnce } from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment
const onOtherTable = packagedOnce('dev', elsewhere)
const byDefault = packagedOnce('dev')
const example = packagedOnce('example', { alarmTopicArn: ' ' })

const nobody = { Ref: 'AWS::NoValue' }

/** What the framework has read below `provider`. */
const providerOf = ({ folder }: Packaged) =>
  JSON.parse(readFileSync(join(folder, 'serverless-state.json'), 'utf8')).service.provider

test('the framework packages the functions alone without a warning', () => {
  expect(deployment.printed).toContain('Service packaged')
  expect(deployment.printed).not.toMatch(/warn|deprecation/i)
  const { size } = statSync(join(deployment.folder, 'deprecated-saml-endpoints.zip'))
  expect(size).toBeGreaterThan(150_000)
  expect(size).toBeLessThanOrEqual(250_000) // 207 KB in 2026-11, plus 20 %; source maps alone have more
})

test('the bucket of the stack keeps twenty packages from the public', () => {
  const wanted = { maxPreviousDeploymentArtifacts: 20, blockPublicAccess: true }
  expect(providerOf(deployment).deploymentBucketObject).toMatchObject(wanted)
})

test('each function has a role of its own', () => {
  const names = [...endpoints, ...scheduledFunctions].map(({ name }) => name)
  const ids = names.map(name => `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`)
  const roles = properties('AWS::Lambda::Function').map(({ Role }) => Role['Fn::Sub'])
  expect(roles, 'name the role of the function in serverless.yml').toEqual(ids.map(id => `\${${id}.Arn}`))
  expect(deployment.resources, 'add the role to infra/resources/roles.yml').toMatchObject(
    Object.fromEntries(ids.map(id => [id, { Type: 'AWS::IAM::Role' }])),
  )
})

test('each function has the settings of the stage and the version of the stack', () => {
  const { Value: VERSION } = onOtherTable.outputs.Version ?? {}
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/)
  const functions = onOtherTable.properties('AWS::Lambda::Function')
  const reserved = functions.map(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions)
  const wanted = [...endpoints.map(() => 100), undefined]
  expect(reserved, 'give the endpoint reservedConcurrency in serverless.yml').toEqual(wanted)
  const variable = (name: string) => name.replace(/[A-Z]/g, '_$&').toUpperCase()
  const parameters = Object.entries(elsewhere).map(([name, value]) => [variable(name), String(value)])
  for (const deployed of functions) {
    const usual = { Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 1024 }
    expect(deployed).toMatchObject(usual)
    expect({ ...Object.fromEntries(parameters), VERSION }).toMatchObject(deployed.Environment.Variables)
  }
})

test('each parameter has a value here that is not its default', () => {
  const given: Record<string, unknown> = elsewhere
  const same = Object.keys(defaults).filter(name => [undefined, defaults[name]].includes(given[name]))
  expect(same, 'give the parameter another value in packaged.ts').toEqual([])
})

test('the logs of functions and gateway go after the retention time or with the stack', () => {
  const names = properties('AWS::Lambda::Function').map(({ FunctionName }) => `/aws/lambda/${FunctionName}`)
  // The framework deletes the one without "/access".
  names.push('/aws/api-gateway/deprecated-saml-endpoints-prod/access')
  const wanted = names.map(name => [name, everythingOn.logRetentionDays])
  const groups = properties('AWS::Logs::LogGroup')
  expect(groups.map(group => [group.LogGroupName, Number(group.RetentionInDays)])).toEqual(wanted)
  for (const group of ofType('AWS::Logs::LogGroup')) expect(group).not.toHaveProperty('DeletionPolicy')
})

test('a deployment of which only the issuers are given has no option on', () => {
  const functions = byDefault.properties('AWS::Lambda::Function')
  expect(
    functions.map(({ Timeout }) => Timeout),
    'count the new function here',
  ).toEqual([150, 150, 890])
  for (const deployed of functions) {
    expect(deployed).not.toHaveProperty('ReservedConcurrentExecutions')
    const wanted = { RETIRED: 'false', SUNSET_AT: '', MAX_WAIT_SECONDS: '28' }
    expect(deployed.Environment.Variables).toMatchObject(wanted)
  }
  expect(byDefault.ofType('AWS::Lambda::Version')).toEqual([]) // each would be kept for ever
  for (const alarm of byDefault.properties('AWS::CloudWatch::Alarm'))
    expect(alarm).toMatchObject({ AlarmActions: nobody, OKActions: nobody })
  const isEqual = (first: unknown) => ({ 'Fn::Equals': [first, true] })
  expect(byDefault.conditions).toEqual({
    CreateTable: isEqual(true),
    GatewayAccessLogs: isEqual(false),
  })
})

test('the scheduled function runs once in each of its intervals', () => {
  const Name = 'deprecated-saml-endpoints-prod-finish-removals' // two stages of an account have two rules
  const rule = { Name, State: 'ENABLED', ScheduleExpression: 'rate(15 minutes)' }
  expect(properties('AWS::Events::Rule')).toMatchObject([rule])
  expect(properties('AWS::Lambda::Function').at(-1)).toMatchObject({ Timeout: 890 })
  const once = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 900 }
  expect(properties('AWS::Lambda::EventInvokeConfig')).toMatchObject([once])
})

test('the table is protected from loss', () => {
  expect(ofType('AWS::DynamoDB::Table')).toMatchObject([
    {
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
    },
  ])
  const Condition = { StringEquals: { ResourceType: ['AWS::DynamoDB::Table'] } }
  expect(providerOf(deployment).stackPolicy).toEqual([
    { Effect: 'Allow', Principal: '*', Action: ['Update:*'], Resource: '*' },
    { Effect: 'Deny', Principal: '*', Action: ['Update:Replace'], Resource: '*', Condition },
  ])
})

test('a stage on a table that exists neither makes one nor refers to it', () => {
  expect(onOtherTable.ofType('AWS::DynamoDB::Table')).toMatchObject([{ Condition: 'CreateTable' }])
  expect(onOtherTable.conditions.CreateTable).toEqual({ 'Fn::Equals': [false, true] })
  expect(JSON.stringify(onOtherTable.resources)).not.toMatch(/"(Ref|Fn::GetAtt)":\[?"ProviderTable/)
  expect(onOtherTable.outputs.TableName).toMatchObject({ Value: 'restored' })
})

describe("the example of a stage's file", () => {
  const extendIt = 'extend role, logs and function of each function in infra/stages/example.yml'
  const key = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555'
  const { ofType, properties } = example

  test('gives the stack its region, tags and protection', () => {
    const stackTags = { service: 'deprecated-saml-endpoints', stage: 'example', 'cost-centre': '4711' }
    const wanted = { region: 'eu-central-1', deletionProtection: true, stackTags }
    expect(providerOf(example)).toMatchObject(wanted)
    expect(providerOf(byDefault).stackTags).toEqual({ service: 'deprecated-saml-endpoints', stage: 'dev' })
  })

  test('extends functions, roles, logs and table', () => {
    for (const deployed of properties('AWS::Lambda::Function'))
      expect(deployed, extendIt).toMatchObject({
        KmsKeyArn: key,
        VpcConfig: { SubnetIds: [expect.any(String), expect.any(String)] },
        Environment: { Variables: { SUNSET_AT: '2027-06-30T00:00:00Z', RETENTION_DAYS: '7' } },
        Code: { S3Bucket: 'example-company-packages' },
      })
    for (const role of properties('AWS::IAM::Role'))
      expect(role, extendIt).toMatchObject({
        Path: '/example-company/saml/',
        PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
        ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole'],
        Policies: [{ PolicyDocument: expect.anything() }],
      })
    for (const group of ofType('AWS::Logs::LogGroup'))
      expect(group, extendIt).toMatchObject({ DeletionPolicy: 'Retain', Properties: { KmsKeyId: key } })
    expect(properties('AWS::ApiGateway::RestApi')).toMatchObject([{ DisableExecuteApiEndpoint: true }])
    expect(properties('AWS::DynamoDB::Table')).toMatchObject([{ SSESpecification: { KMSMasterKeyId: key } }])
    expect(properties('AWS::S3::Bucket')).toEqual([])
  })

  test('gives way to the command line with its space for an empty value', () => {
    for (const alarm of properties('AWS::CloudWatch::Alarm'))
      expect(alarm).toMatchObject({ AlarmActions: nobody, OKActions: nobody })
  })
})
