import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { onInterrupt } from '../../../infra/command-line/signals.ts'
import { previewOf } from '../../../infra/serverless/announcement.ts'
import { changesOf } from '../../../infra/serverless/preview.ts'
import { cannedAws, refusal, stack } from './canned-aws.ts'

const folder = mkdtempSync(join(tmpdir(), 'preview-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'deprecated-saml-endpoints.zip'), 'code')
const filesha256 = createHash('sha256').update('code').digest('base64')

const provider = {
  stackTags: { service: 'saml', stage: 'dev' },
  iam: { deploymentRole: 'arn:aws:iam::1:role/deployer' },
  notificationArns: ['arn:aws:sns:eu-central-1:1:events'],
  deploymentBucketObject: { serverSideEncryption: 'aws:kms', sseKMSKeyId: 'key' },
}
const state = { service: { provider }, package: { artifactDirectoryName: 'serverless/saml/dev/1' } }
writeFileSync(join(folder, 'serverless-state.json'), JSON.stringify(state))

const running = { ...stack, outputs: { ServerlessDeploymentBucketName: 'packages' } }
const templateWith = (S3Key: string) => ({
  Resources: { ListSamlProvidersLambdaFunction: { Properties: { Code: { S3Key } } } },
  Metadata: { Parameters: {} },
})
const changed = (Action: string, LogicalResourceId: string, more = {}) => ({
  ResourceChange: { Action, LogicalResourceId, ResourceType: 'AWS::T', ...more },
})
const of = (...names: string[]) => ({
  Details: names.map(Name => ({ Target: { Attribute: 'Properties', Name } })),
})

const answers = {
  GetTemplate: [{ TemplateBody: JSON.stringify(templateWith('running.zip')) }],
  HeadObject: [{ Metadata: { filesha256: 'other' } }],
  ...{ PutObject: [{}], CreateChangeSet: [{}], DeleteChangeSet: [{}], DeleteObject: [{}] },
  DescribeChangeSet: [{ Status: 'CREATE_COMPLETE', Changes: [] as object[] }],
}

/** @returns the lines or the sentence of the failure, the commands, and the uploaded template */
async function preview(changes: Record<string, object[]> = {}) {
  const { aws, received, inputs } = cannedAws({ ...answers, ...changes })
  const made = { template: templateWith('new.zip'), folder }
  const result = await changesOf(aws, running, made).catch((error: Error) => error.message)
  return { result, received, inputs, uploaded: JSON.parse(String(inputs.PutObject?.Body)) }
}

describe('a preview', () => {
  test('names each resource and what changes in it, those that AWS would replace first', async () => {
    const Changes = [
      changed('Add', 'Fresh'),
      changed('Modify', 'Role', { Replacement: 'False', ...of('Policies') }),
      changed('Remove', 'Old'),
      changed('Modify', 'Stage', { Replacement: 'Conditional', ...of('StageName', 'StageName') }),
      changed('Modify', 'Table', { Replacement: 'True', ...of('TableName', 'KeySchema') }),
    ]
    const { result } = await preview({ DescribeChangeSet: [{ Status: 'CREATE_COMPLETE', Changes }] })
    expect(result).toEqual([
      'replace     Table (AWS::T) TableName, KeySchema',
      'may replace Stage (AWS::T) StageName',
      'remove      Old (AWS::T)',
      'change      Role (AWS::T) Policies',
      'add         Fresh (AWS::T)',
    ])
  })

  test("has the framework's settings of a deployment, executes nothing, and deletes what it made", async () => {
    const { inputs, received } = await preview()
    expect(inputs.PutObject).toMatchObject({
      Key: expect.stringMatching(/^serverless\/saml\/dev\/1\/preview-[\w-]+\.json$/),
      ServerSideEncryption: 'aws:kms',
      SSEKMSKeyId: 'key',
    })
    expect(inputs.CreateChangeSet).toMatchObject({
      ChangeSetType: 'UPDATE',
      TemplateURL: `https://s3.amazonaws.com/packages/${inputs.PutObject?.Key}`,
      Tags: [
        { Key: 'service', Value: 'saml' },
        { Key: 'stage', Value: 'dev' },
      ],
      RoleARN: provider.iam.deploymentRole,
      NotificationARNs: provider.notificationArns,
    })
    const { ChangeSetName, StackName } = inputs.CreateChangeSet as Record<string, string>
    expect(inputs.DeleteChangeSet).toEqual({ ChangeSetName, StackName })
    expect(inputs.DeleteObject).toEqual({ Bucket: 'packages', Key: inputs.PutObject?.Key })
    expect(received).not.toContain('ExecuteChangeSet')
  })

  test.each([
    ['the running key for the same code', filesha256, 'running.zip'],
    ['its own key for other code', 'other', 'new.zip'],
  ])('compares %s', async (_, hash, key) => {
    const { uploaded } = await preview({ HeadObject: [{ Metadata: { filesha256: hash } }] })
    expect(uploaded).toEqual(templateWith(key))
  })

  test('of a stage that would not change has no lines', async () => {
    const StatusReason = "The submitted information didn't contain changes."
    const { result } = await preview({ DescribeChangeSet: [{ Status: 'FAILED', StatusReason }] })
    expect(result).toEqual([])
    expect(previewOf('dev', [])).toBe('Stage dev would not change.')
  })

  test('that AWS refuses says why, and leaves nothing', async () => {
    const { result, received } = await preview({
      DescribeChangeSet: [{ Status: 'FAILED', StatusReason: 'No such topic.' }],
    })
    expect(result).toBe('AWS made no change set (FAILED): No such topic.')
    expect(received.slice(-2)).toEqual(['DeleteChangeSet', 'DeleteObject'])
  })

  test('that is interrupted waits for the change set, which AWS deletes only then, and leaves nothing', async () => {
    const others: string[] = []
    onTestFinished(onInterrupt(() => others.push('the process ends')))
    const interrupting = {
      get Status() {
        process.emit('SIGINT')
        return 'CREATE_IN_PROGRESS'
      },
    }
    const { received, result } = await preview({
      DescribeChangeSet: [interrupting, { Status: 'CREATE_COMPLETE' }],
    })
    expect(received.slice(-4)).toEqual([
      ...['DescribeChangeSet', 'DescribeChangeSet'],
      ...['DeleteChangeSet', 'DeleteObject'],
    ])
    expect(result).toBe('Interrupted: nothing is changed, and nothing is left.')
    expect(others).toEqual([])
  })

  test('whose change set cannot be deleted says so, also after another failure, and deletes its template', async () => {
    const { result, received, inputs } = await preview({
      DescribeChangeSet: [{ Status: 'FAILED', StatusReason: 'No such topic.' }],
      DeleteChangeSet: [refusal('AccessDenied', 'not authorized')],
    })
    expect(result).toBe(
      `AWS made no change set (FAILED): No such topic. The preview could not be cleaned up (not authorized): run aws cloudformation delete-change-set --region eu-central-1 --stack-name ${stack.name} --change-set-name ${inputs.CreateChangeSet?.ChangeSetName}`,
    )
    expect(received.at(-1)).toBe('DeleteObject')
  })
})
