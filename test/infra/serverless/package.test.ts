import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endpoints, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { type Packaged, packagedOnce } from './packaged.ts'
import { elsewhere, everythingOn } from './stages.ts'

const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment
const onOtherTable = packagedOnce('dev', elsewhere)

describe('the package', () => {
  test('is created without an account and without a warning', () => {
    expect(deployment.printed).toContain('Service packaged')
    expect(deployment.printed).not.toMatch(/warn|deprecation/i)
  })

  test('contains one zip of at most 250 KB, without source maps or sources', () => {
    const zip = readFileSync(join(deployment.folder, 'deprecated-saml-endpoints.zip'))
    expect(zip.length).toBeLessThanOrEqual(250_000) // 207 KB in 2026-11, plus 20 %
    const names = namesInZip(zip)
    expect(names.filter(name => !/^\.build\/functions\/(chunks\/)?[\w-]+\.mjs$/.test(name))).toEqual([])
    expect(names).toContain('.build/functions/list-saml-providers.mjs')
    expect(names).toContain('.build/functions/delete-saml-provider.mjs')
  })

  test('has the URLs and the table as outputs', () => {
    expect(Object.keys(deployment.outputs)).toEqual(
      expect.arrayContaining(['TableName', 'ListUrl', 'DeleteUrl', 'DashboardUrl']),
    )
  })
})

describe('each function', () => {
  const names = [...endpoints, ...scheduledFunctions].map(({ name }) => name)

  test('runs on Node 24 and arm64 with 1,024 MB, and its variables are strings', () => {
    const functions = properties('AWS::Lambda::Function')
    expect(functions).toHaveLength(names.length)
    for (const one of functions) {
      expect(one).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], MemorySize: 1024 })
      for (const value of Object.values(one.Environment.Variables)) expect(value).toBeTypeOf('string')
    }
  })

  test('has its own role, and a log group with a retention time', () => {
    const roles = properties('AWS::Lambda::Function').map(
      ({ Role }) => /^\$\{(\w+)\.Arn\}$/.exec(Role['Fn::Sub'])?.[1],
    )
    const ids = names.map(name => `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`)
    expect(roles, 'name the role of the function in serverless.yml').toEqual(ids)
    expect(
      Object.keys(deployment.resources).filter(id => id.endsWith('Role')),
      'add the role to infra/resources/roles.yml',
    ).toEqual(expect.arrayContaining(ids))
    for (const { RetentionInDays } of properties('AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(365)
    const logs = properties('AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName)
    for (const { FunctionName } of properties('AWS::Lambda::Function'))
      expect(logs).toContain(`/aws/lambda/${FunctionName}`)
  })

  test('has a log group that the framework does not delete after a deployment, as the gateway has', () => {
    const names = properties('AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName)
    expect(names).toContain('/aws/api-gateway/deprecated-saml-endpoints-prod/access')
    for (const name of names) expect(name).not.toMatch(/^\/aws\/api-gateway\/[^/]+$/)
  })

  test('has the reserved concurrency, except for the scheduled one', () => {
    const reserved = properties('AWS::Lambda::Function').map(one => one.ReservedConcurrentExecutions)
    const wanted = [...endpoints.map(() => 100), undefined]
    expect(reserved, 'give the endpoint reservedConcurrency in serverless.yml').toEqual(wanted)
  })

  test('is traced where tracing is on', () => {
    for (const one of properties('AWS::Lambda::Function'))
      expect(one.TracingConfig).toEqual({ Mode: 'Active' })
  })
})

test('the table is retained when it is replaced, protected, encrypted, restorable, and has a TTL', () => {
  expect(ofType('AWS::DynamoDB::Table')).toMatchObject([{ UpdateReplacePolicy: 'Retain' }])
  expect(properties('AWS::DynamoDB::Table')).toMatchObject([
    {
      TableName: 'saml-providers-prod',
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    },
  ])
})

test('a stage on a table that exists has everything but the table, and names it', () => {
  const typesIn = ({ resources }: Packaged) => Object.values(resources).map(({ Type }) => Type)
  expect(['AWS::DynamoDB::Table', ...typesIn(onOtherTable)].sort()).toEqual(typesIn(deployment).sort())
  expect(JSON.stringify(onOtherTable.resources)).not.toContain('ProviderTable')
  expect(onOtherTable.outputs.TableName).toMatchObject({ Value: 'restored' })
})

test('a stack that is deleted leaves its table, and logs whose retention is a year or more', () => {
  const kept = ({ resources }: Packaged) =>
    Object.keys(resources).filter(id => resources[id]?.DeletionPolicy === 'Retain')
  const logs = Object.keys(deployment.resources).filter(id => id.endsWith('LogGroup'))
  expect(logs).toHaveLength(endpoints.length + scheduledFunctions.length + 1)
  expect(kept(deployment).sort()).toEqual([...logs, 'ProviderTable'].sort())
  expect(kept(onOtherTable)).toEqual([])
})

test('Fn::Sub has no escaped dollar sign, which LocalStack does not support', () => {
  expect(JSON.stringify(deployment.resources)).not.toContain('${!')
})

test.each([
  ['creates its table', deployment],
  ['uses a table that exists', onOtherTable],
])('the policy of a stack that %s denies the replacement of a table, and names no logical id', (_, stack) => {
  const state = JSON.parse(readFileSync(join(stack.folder, 'serverless-state.json'), 'utf8'))
  const Condition = { StringEquals: { ResourceType: ['AWS::DynamoDB::Table'] } }
  expect(state.service.provider.stackPolicy).toEqual([
    { Effect: 'Allow', Principal: '*', Action: ['Update:*'], Resource: '*' },
    { Effect: 'Deny', Principal: '*', Action: ['Update:Replace'], Resource: '*', Condition },
  ])
})

test('the scheduled function runs at the rate of its parameter, ends before its next run, is not repeated, and has no route', () => {
  expect(properties('AWS::Events::Rule')).toMatchObject([{ ScheduleExpression: 'rate(15 minutes)' }])
  expect(properties('AWS::Lambda::Function').at(-1)).toMatchObject({ Timeout: 890 })
  const once = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 900 }
  expect(properties('AWS::Lambda::EventInvokeConfig')).toMatchObject([once])
  expect(JSON.stringify(properties('AWS::ApiGateway::Method'))).not.toMatch(/finishRemovals/i)
})

/** The names in a zip's central directory. */
function namesInZip(zip: Buffer): string[] {
  const names: string[] = []
  for (let at = zip.indexOf('PK\x01\x02'); at !== -1; at = zip.indexOf('PK\x01\x02', at + 46))
    names.push(zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28)))
  return names
}
