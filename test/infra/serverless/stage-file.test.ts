import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseStageFile, readStageFile } from '../../../infra/serverless/stage-file.ts'
import { packagedOnce } from './packaged.ts'

const extendIt = 'extend role, logs and function of each function in infra/stages/example.yml'
const key = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555'

const deployment = packagedOnce('example', { alarmTopicArn: ' ' })
const { properties } = deployment

describe("the example of a stage's file", () => {
  test('gives the stack its region, tags and protection', () => {
    const state = readFileSync(join(deployment.folder, 'serverless-state.json'), 'utf8')
    const stackTags = { 'cost-centre': '4711', service: 'deprecated-saml-endpoints', stage: 'example' }
    const wanted = { region: 'eu-central-1', deletionProtection: true, stackTags }
    expect(JSON.parse(state).service.provider).toMatchObject(wanted)
  })

  test('extends functions, roles, logs and table', () => {
    for (const one of properties('AWS::Lambda::Function'))
      expect(one, extendIt).toMatchObject({
        KmsKeyArn: key,
        VpcConfig: { SubnetIds: [expect.any(String), expect.any(String)] },
        Environment: { Variables: { SUNSET_AT: '2027-06-30T00:00:00Z', RETENTION_DAYS: '7' } },
        Code: { S3Bucket: 'example-company-packages' },
      })
    for (const one of properties('AWS::IAM::Role'))
      expect(one, extendIt).toMatchObject({
        Path: '/example-company/saml/',
        PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
        ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole'],
        Policies: [{ PolicyDocument: expect.anything() }],
      })
    for (const { KmsKeyId } of properties('AWS::Logs::LogGroup')) expect(KmsKeyId, extendIt).toBe(key)
    expect(properties('AWS::DynamoDB::Table')).toMatchObject([{ SSESpecification: { KMSMasterKeyId: key } }])
    expect(properties('AWS::S3::Bucket')).toEqual([])
  })

  test('leaves tracing off', () => {
    expect(properties('AWS::Lambda::Function')[0]).not.toHaveProperty('TracingConfig')
    expect(properties('AWS::IAM::Policy')).toEqual([])
  })

  test('gives way to the command line, where a space stands for an empty value', () => {
    const alarms = properties('AWS::CloudWatch::Alarm')
    expect(alarms.length).toBeGreaterThan(5)
    for (const { AlarmActions = [] } of alarms) expect(AlarmActions).toEqual([])
  })
})

describe("a stage's file", () => {
  test('may have every entry that serverless.yml includes, or none', () => {
    const nothing = { params: {}, tags: {}, faults: [] }
    expect(readStageFile('no-such-stage')).toEqual(nothing)
    expect(parseStageFile('prod.yml', '')).toMatchObject(nothing)
    const text = 'params: { realm: a }\ntags: { a: b }\nregion: eu-west-1\nvpc: {}\nresources: !Sub x'
    const wanted = { params: { realm: 'a' }, tags: { a: 'b' }, faults: [] }
    expect(parseStageFile('prod.yml', text)).toMatchObject(wanted)
  })

  test.each([
    ['provider: { timeout: 3 }', 'unknown entry provider'],
    ['params: text', 'params must be a map of NAME: VALUE'],
    ['params: { maxWait: 9 }', 'unknown parameter maxWait'],
    ['params: { leaveTable: a }', 'unknown parameter leaveTable'], // it is of one deployment
    ['tags: { stage: a }', 'tags.stage is set by the service: leave it out'],
    ['text', 'it must be a map'],
  ])('with the content %s is refused', (text, fault) => {
    expect(parseStageFile('prod.yml', text).faults).toEqual([`prod.yml: ${fault}`])
  })

  test('with a wrong entry has its parameters all the same', () => {
    const text = 'parameters: {}\nparams: { realm: a }\ntags: { a: 7 }'
    expect(parseStageFile('prod.yml', text)).toEqual({
      params: { realm: 'a' },
      tags: {},
      faults: ['prod.yml: tags.a must be a text', 'prod.yml: unknown entry parameters'],
    })
  })
})
