import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaults, endpoints, schedule } from '../../../infra/serverless/service-definition.ts'
import { elsewhere, everythingOn, packagedOnce } from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment
const onOtherTable = packagedOnce('dev', elsewhere)
const byDefault = packagedOnce('dev')
const example = packagedOnce('example', { alarmTopicArn: ' ' })
const unwatched = packagedOnce('localstack')

test('the framework packages the functions alone without a warning', () => {
  expect(deployment.printed).toContain('Service packaged')
  expect(deployment.printed).not.toMatch(/warn|deprecation/i)
  const { size } = statSync(join(deployment.folder, 'deprecated-saml-endpoints.zip'))
  expect(size).toBeGreaterThan(150_000)
  expect(size).toBeLessThanOrEqual(250_000) // 207 KB in 2026-11, plus 20 %; source maps alone have more
})

test('each function has the settings of the stage and the version of the stack', () => {
  const { Value: VERSION } = onOtherTable.outputs.Version ?? {}
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/)
  const DEPLOYMENT = 'deprecated-saml-endpoints-dev' // as the alarms have it
  const functions = onOtherTable.properties('AWS::Lambda::Function')
  const variable = (name: string) => name.replace(/[A-Z]/g, '_$&').toUpperCase()
  const settings = Object.entries(elsewhere).map(([name, value]) => [variable(name), String(value)])
  for (const { Environment, ...others } of functions) {
    expect({ ...Object.fromEntries(settings), VERSION, DEPLOYMENT }).toMatchObject(Environment.Variables)
    expect(others).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 1024 })
  }
})

test('each endpoint reserves the concurrency of the stage', () => {
  const reserved = properties('AWS::Lambda::Function').map(({ ReservedConcurrentExecutions: own }) => own)
  const wanted = [...endpoints.map(() => everythingOn.reservedConcurrency), undefined]
  expect(reserved, 'give the endpoint reservedConcurrency in serverless.yml').toEqual(wanted)
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

test('a stage with the issuers alone has no option on', () => {
  for (const deployed of byDefault.properties('AWS::Lambda::Function'))
    expect(deployed).not.toHaveProperty('ReservedConcurrentExecutions')
  const isEqual = (first: unknown) => ({ 'Fn::Equals': [first, true] })
  expect(byDefault.conditions).toEqual({ CreateTable: isEqual(true), GatewayAccessLogs: isEqual(false) })
})

test('no deployment leaves a version of a function for ever', () =>
  expect(ofType('AWS::Lambda::Version')).toEqual([]))

test('an alarm without a topic has no action', () => {
  // The example of a stage's file names a topic; the space takes it away on the command line.
  const alarms = [byDefault, example].flatMap(({ properties }) => properties('AWS::CloudWatch::Alarm'))
  const nothing = { Ref: 'AWS::NoValue' }
  for (const alarm of alarms) expect(alarm).toMatchObject({ AlarmActions: nothing, OKActions: nothing })
})

test("alarms, dashboard and queries are left out by a stage's file, and kept by its empty lines", () => {
  const watching = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::Logs::QueryDefinition']
  const numbers = ({ ofType }: typeof example) => watching.map(type => ofType(type).length)
  expect(numbers(unwatched)).toEqual([0, 0, 0])
  expect(numbers(example)).toEqual(numbers(byDefault))
})

test('the scheduled function runs once in each of its intervals', () => {
  const Name = 'deprecated-saml-endpoints-prod-finish-removals' // two stages of an account have two rules
  const ScheduleExpression = `rate(${schedule.everyMs / 60_000} minutes)`
  expect(properties('AWS::Events::Rule')).toMatchObject([{ Name, State: 'ENABLED', ScheduleExpression }])
  expect(schedule.timeoutMs).toBeLessThan(schedule.everyMs)
  expect(schedule.timeoutMs).toBeGreaterThan(schedule.everyMs - 60_000) // to read long lists to their end
  const MaximumEventAgeInSeconds = schedule.everyMs / 1000
  expect(properties('AWS::Lambda::EventInvokeConfig')).toMatchObject([
    { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds },
  ])
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
  const state = JSON.parse(readFileSync(join(deployment.folder, 'serverless-state.json'), 'utf8'))
  expect(state.service.provider.stackPolicy).toEqual([
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

test("the example of a stage's file extends functions, roles, logs and table", () => {
  const extendIt = 'extend role, logs and function of each function in infra/stages/example.yml'
  const key = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555'
  for (const deployed of example.properties('AWS::Lambda::Function'))
    expect(deployed, extendIt).toMatchObject({
      KmsKeyArn: key,
      Environment: { Variables: { SUNSET_AT: '2027-06-30T00:00:00Z', RETENTION_DAYS: '7' } },
    })
  for (const role of example.properties('AWS::IAM::Role'))
    expect(role, extendIt).toMatchObject({
      PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      Policies: [{ PolicyDocument: expect.anything() }],
    })
  for (const group of example.ofType('AWS::Logs::LogGroup'))
    expect(group, extendIt).toMatchObject({ DeletionPolicy: 'Retain', Properties: { KmsKeyId: key } })
  const encrypted = [{ SSESpecification: { KMSMasterKeyId: key } }]
  expect(example.properties('AWS::DynamoDB::Table')).toMatchObject(encrypted)
})
