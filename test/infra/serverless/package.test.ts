import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endpoints, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { elsewhere, everythingOn, type Packaged, packagedOnce } from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment
const onOtherTable = packagedOnce('dev', elsewhere)
const byDefault = packagedOnce('dev')

test('the framework packages the service without a warning', () => {
  expect(deployment.printed).toContain('Service packaged')
  expect(deployment.printed).not.toMatch(/warn|deprecation/i)
})

test('the package contains the functions alone', () => {
  const { size } = statSync(join(deployment.folder, 'deprecated-saml-endpoints.zip'))
  expect(size).toBeGreaterThan(150_000)
  expect(size).toBeLessThanOrEqual(250_000) // 207 KB in 2026-11, plus 20 %; source maps alone have more
})

/** What the framework has read below `provider`. */
const providerOf = ({ folder }: Packaged) =>
  JSON.parse(readFileSync(join(folder, 'serverless-state.json'), 'utf8')).service.provider

test('the bucket of the stack keeps twenty packages from the public', () => {
  const wanted = { maxPreviousDeploymentArtifacts: 20, blockPublicAccess: true }
  expect(providerOf(deployment).deploymentBucketObject).toMatchObject(wanted)
})

test('each function has a role of its own', () => {
  const names = [...endpoints, ...scheduledFunctions].map(({ name }) => name)
  const ids = names.map(name => `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`)
  const roles = properties('AWS::Lambda::Function').map(({ Role }) => Role['Fn::Sub'])
  expect(roles, 'name the role of the function in serverless.yml').toEqual(ids.map(id => `\${${id}.Arn}`))
  const missing = ids.filter(id => !(id in deployment.resources))
  expect(missing, 'add the role to infra/resources/roles.yml').toEqual([])
})

test('each function has the settings of the stage', () => {
  const functions = properties('AWS::Lambda::Function')
  const reserved = functions.map(one => one.ReservedConcurrentExecutions)
  const wanted = [...endpoints.map(() => 100), undefined]
  expect(reserved, 'give the endpoint reservedConcurrency in serverless.yml').toEqual(wanted)
  for (const one of functions)
    expect(one).toMatchObject({
      ...{ Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 1024 },
      TracingConfig: { Mode: 'Active' },
    })
})

test('the logs of functions and gateway have the retention time', () => {
  const names = properties('AWS::Lambda::Function').map(({ FunctionName }) => `/aws/lambda/${FunctionName}`)
  // The framework deletes the one without "/access".
  names.push('/aws/api-gateway/deprecated-saml-endpoints-prod/access')
  const wanted = names.map(LogGroupName => ({ LogGroupName, RetentionInDays: 365 }))
  expect(properties('AWS::Logs::LogGroup')).toEqual(wanted)
})

test('a deployment of which only the issuers are given has no option on', () => {
  const functions = byDefault.properties('AWS::Lambda::Function')
  expect(functions).toHaveLength(deployment.properties('AWS::Lambda::Function').length)
  for (const { ReservedConcurrentExecutions, Environment } of functions) {
    expect(ReservedConcurrentExecutions).toBeUndefined()
    expect(Environment.Variables).toMatchObject({ SUNSET_ENFORCED: 'false', MAX_WAIT_SECONDS: '28' })
    expect(Environment.Variables).not.toHaveProperty('SUNSET_AT')
  }
  expect(byDefault.properties('AWS::ApiGateway::RestApi')).toMatchObject([{ BinaryMediaTypes: ['*/*'] }])
  const [stage] = byDefault.properties('AWS::ApiGateway::Stage')
  expect(stage).toMatchObject({ TracingEnabled: false })
  expect(stage).not.toHaveProperty('AccessLogSetting')
  for (const { AlarmActions, OKActions } of byDefault.properties('AWS::CloudWatch::Alarm'))
    expect([AlarmActions, OKActions]).toEqual([[], []])
})

test('the scheduled function runs once in each of its intervals', () => {
  expect(properties('AWS::Events::Rule')).toMatchObject([{ ScheduleExpression: 'rate(15 minutes)' }])
  expect(properties('AWS::Lambda::Function').at(-1)).toMatchObject({ Timeout: 890 })
  const once = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 900 }
  expect(properties('AWS::Lambda::EventInvokeConfig')).toMatchObject([once])
})

test('the table is protected from loss', () => {
  expect(ofType('AWS::DynamoDB::Table')).toMatchObject([
    {
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
})

test('a stage on a table that exists has everything but the table', () => {
  const typesIn = ({ resources }: Packaged) => Object.values(resources).map(({ Type }) => Type)
  expect(['AWS::DynamoDB::Table', ...typesIn(onOtherTable)].sort()).toEqual(typesIn(deployment).sort())
  expect(JSON.stringify(onOtherTable.resources)).not.toContain('ProviderTable')
  expect(onOtherTable.outputs.TableName).toMatchObject({ Value: 'restored' })
})

test('a stack that is deleted leaves its table and the logs of a year or more', () => {
  const kept = ({ resources }: Packaged, policy: string) =>
    Object.keys(resources).filter(id => resources[id]?.DeletionPolicy === policy)
  const logs = Object.keys(deployment.resources).filter(id => id.endsWith('LogGroup'))
  expect(kept(deployment, 'Retain')).toEqual(['ProviderTable'])
  // Those that a failed deployment has created are empty, and would be in the way of the next one.
  expect(kept(deployment, 'RetainExceptOnCreate').sort()).toEqual(logs.sort())
  for (const id of logs) {
    expect(deployment.resources[id]?.UpdateReplacePolicy).toBe('Retain')
    expect(onOtherTable.resources[id]?.DeletionPolicy).toBe('Delete')
  }
})

test('the policy of each stack denies the replacement of a table', () => {
  const Condition = { StringEquals: { ResourceType: ['AWS::DynamoDB::Table'] } }
  for (const stack of [deployment, onOtherTable])
    expect(providerOf(stack).stackPolicy).toEqual([
      { Effect: 'Allow', Principal: '*', Action: ['Update:*'], Resource: '*' },
      { Effect: 'Deny', Principal: '*', Action: ['Update:Replace'], Resource: '*', Condition },
    ])
})
