import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseStageFile, readStageFile } from '../../../infra/serverless/stage-file.ts'
import { packagedOnce } from './packaged.ts'

const extendIt = 'extend role, logs and function of each function in infra/stages/example.yml'
const key = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555'

describe("the example of a stage's file", () => {
  const deployment = packagedOnce('example', { alarmTopicArn: ' ' })
  const { properties } = deployment
  /** What the framework deploys the stack with. */
  const provider = () =>
    JSON.parse(readFileSync(join(deployment.folder, 'serverless-state.json'), 'utf8')).service.provider

  test('gives the stack its region and a tag beside those of the service, and protects it', () => {
    const stackTags = { 'cost-centre': '4711', service: 'deprecated-saml-endpoints', stage: 'example' }
    expect(provider()).toMatchObject({ region: 'eu-central-1', deletionProtection: true, stackTags })
  })

  test('gives the functions its parameters, a key and a VPC', () => {
    const Variables = { SUNSET_AT: '2027-06-30T00:00:00Z', RETENTION_DAYS: '7' }
    const VpcConfig = { SubnetIds: [expect.any(String), expect.any(String)] }
    const one = { KmsKeyArn: key, VpcConfig, Environment: { Variables } }
    for (const each of properties('AWS::Lambda::Function')) expect(each, extendIt).toMatchObject(one)
  })

  test('gives each role a path, a permissions boundary and a managed policy, and leaves it its rights', () => {
    const role = {
      Path: '/example-company/saml/',
      PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole'],
      Policies: [{ PolicyDocument: expect.anything() }],
    }
    for (const each of properties('AWS::IAM::Role')) expect(each, extendIt).toMatchObject(role)
  })

  test('leaves tracing off, and gives no right to send traces', () => {
    for (const one of properties('AWS::Lambda::Function')) expect(one).not.toHaveProperty('TracingConfig')
    expect(deployment.ofType('AWS::IAM::Policy')).toEqual([])
  })

  test('gives way to the command line, where a space stands for an empty value', () => {
    const alarms = properties('AWS::CloudWatch::Alarm')
    expect(alarms.length).toBeGreaterThan(5)
    for (const { AlarmActions = [] } of alarms) expect(AlarmActions).toEqual([])
  })

  test('gives logs and table a key, and the packages a bucket that does not belong to the stack', () => {
    for (const { KmsKeyId } of properties('AWS::Logs::LogGroup')) expect(KmsKeyId, extendIt).toBe(key)
    expect(properties('AWS::DynamoDB::Table')).toMatchObject([{ SSESpecification: { KMSMasterKeyId: key } }])
    expect(properties('AWS::S3::Bucket')).toEqual([])
    for (const { Code } of properties('AWS::Lambda::Function'))
      expect(Code.S3Bucket).toBe('example-company-packages')
  })
})

describe("a stage's file", () => {
  test('need not exist', () => {
    expect(readStageFile('no-such-stage')).toEqual({ params: {}, tags: {}, faults: [] })
  })

  test('may be empty, and may have every entry that serverless.yml includes', () => {
    const text = 'params: { realm: a }\ntags: { a: b }\nregion: eu-west-1\nvpc: {}\nresources: !Sub x'
    expect(parseStageFile('prod.yml', '')).toMatchObject({ faults: [] })
    const { params, tags, faults } = parseStageFile('prod.yml', text)
    expect({ params, tags, faults }).toEqual({ params: { realm: 'a' }, tags: { a: 'b' }, faults: [] })
  })

  test.each([
    ['parameters: {}', 'unknown entry parameters'],
    ['provider: { timeout: 3 }', 'unknown entry provider'],
    ['params: text', 'params must be a map of NAME: VALUE'],
    ['tags: { a: 7 }', 'tags.a must be a text'],
    ['tags: { stage: a }', 'tags.stage is set by the service: leave it out'],
    ['tags: { service: a }', 'tags.service is set by the service: leave it out'],
    ['text', 'it must be a map'],
  ])('with the content %s is refused', (text, fault) => {
    expect(parseStageFile('prod.yml', text).faults).toEqual([`prod.yml: ${fault}`])
  })

  test('with a wrong entry has its parameters all the same, so that their faults are named with it', () => {
    const text = 'parameters: {}\nparams: { realm: a }\ntags: { a: 7 }'
    expect(parseStageFile('prod.yml', text)).toEqual({
      params: { realm: 'a' },
      tags: {},
      faults: ['prod.yml: tags.a must be a text', 'prod.yml: unknown entry parameters'],
    })
  })
})
