import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { includedEntries } from '../../../infra/serverless/service-definition.ts'
import { parseStageFile, readStageFile } from '../../../infra/serverless/stage-file.ts'
import { copyOfProject } from '../../support/copy-of-project.ts'
import { packagedOnce, root } from './packaged.ts'

const extendIt = 'extend role, logs and function of each function in infra/stages/example.yml'
const key = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555'

describe("the example of a stage's file gives", () => {
  const deployment = packagedOnce('example')
  const { properties } = deployment
  /** What the framework deploys the stack with. */
  const provider = () =>
    JSON.parse(readFileSync(join(deployment.folder, 'serverless-state.json'), 'utf8')).service.provider

  test('the stack its region and a tag beside those of the service, and protects it', () => {
    const stackTags = { 'cost-centre': '4711', service: 'deprecated-saml-endpoints', stage: 'example' }
    expect(provider()).toMatchObject({ region: 'eu-central-1', deletionProtection: true, stackTags })
  })

  test('the functions its parameters, a key and a VPC', () => {
    const Variables = { SUNSET_AT: '2027-06-30T00:00:00Z', RETENTION_DAYS: '7' }
    const VpcConfig = { SubnetIds: [expect.any(String), expect.any(String)] }
    const one = { KmsKeyArn: key, VpcConfig, Environment: { Variables } }
    for (const each of properties('AWS::Lambda::Function')) expect(each, extendIt).toMatchObject(one)
  })

  test('each role a path, a permissions boundary and a managed policy, and leaves it its rights', () => {
    const role = {
      Path: '/example-company/saml/',
      PermissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole'],
      Policies: [{ PolicyDocument: expect.anything() }],
    }
    for (const each of properties('AWS::IAM::Role')) expect(each, extendIt).toMatchObject(role)
  })

  test('logs and table a key, and the packages a bucket that does not belong to the stack', () => {
    for (const { KmsKeyId } of properties('AWS::Logs::LogGroup')) expect(KmsKeyId, extendIt).toBe(key)
    expect(properties('AWS::DynamoDB::Table')).toMatchObject([{ SSESpecification: { KMSMasterKeyId: key } }])
    expect(properties('AWS::S3::Bucket')).toEqual([])
    for (const { Code } of properties('AWS::Lambda::Function'))
      expect(Code.S3Bucket).toBe('example-company-packages')
  })
})

describe("a stage's file", () => {
  test('has no entry that infra/README.md does not explain', () => {
    const page = readFileSync(join(root, 'infra/README.md'), 'utf8')
    const section = page.split("\n## The stage's file\n")[1]?.split('\n## ')[0] ?? ''
    const explained = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(explained.sort()).toEqual(['params', 'tags', ...includedEntries].sort())
  })

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

  test('that is not YAML is refused in one sentence', () => {
    const folder = copyOfProject()
    writeFileSync(join(folder, 'infra/stages/prod.yml'), 'params: { realm: [a }')
    const args = ['node_modules/serverless/bin/serverless.js', 'package', '--stage', 'prod']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect(status).toBe(1)
    expect((stdout + stderr).match(/Cannot parse "infra\/stages\/prod\.yml"/g)).toHaveLength(1)
  })
})
