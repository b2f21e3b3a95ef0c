import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { endpointOf, explainAws } from '../../../infra/serverless/aws.ts'
import { findStack, hasTable, tableOf } from '../../../infra/serverless/stack.ts'
import { removeStack, undeploy } from '../../../infra/serverless/undeploy.ts'
import { freePort } from '../../support/free-port.ts'
import { cannedAws, outputs, refusal, resources, result, stackIn } from './canned-aws.ts'

const place = { region: 'eu-central-1' }
const name = 'deprecated-saml-endpoints-dev'
const stack = { id: 'arn:stack', name, status: 'CREATE_COMPLETE', outputs: {} }
const noStack = refusal('ValidationError', `Stack with id ${name} does not exist`)
const noTable: [number, string] = [
  400,
  '{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}',
]
const table = { LogicalResourceId: 'ProviderTable', PhysicalResourceId: 'providers' }
const bucket = { LogicalResourceId: 'ServerlessDeploymentBucket', PhysicalResourceId: 'packages' }
const listed = (key: string) => `<ListBucketResult><Contents><Key>${key}</Key></Contents></ListBucketResult>`

describe('the stack of a stage', () => {
  test('is found with its state and outputs', async () => {
    await cannedAws({ DescribeStacks: [stackIn('UPDATE_COMPLETE', outputs('TableName', 'providers'))] })
    expect(await findStack(place, 'dev')).toEqual({
      ...stack,
      status: 'UPDATE_COMPLETE',
      outputs: { TableName: 'providers' },
    })
  })

  test('is absent when AWS does not know it', async () => {
    await cannedAws({ DescribeStacks: [noStack] })
    expect(await findStack(place, 'dev')).toBeUndefined()
  })

  test.each([
    ['AccessDenied', 'not authorized'],
    ['ValidationError', '1 validation error detected'],
  ])('is not taken for absent when AWS answers %s: %s', async (code, message) => {
    await cannedAws({ DescribeStacks: [refusal(code, message)] })
    await expect(findStack(place, 'dev')).rejects.toThrow(message)
  })

  test.each([
    ['its output', { TableName: 'providers' }, [], 'providers'],
    ['its resource, without an output', {}, [table], 'providers'],
    ['none, once that is deleted', {}, [{ ...table, ResourceStatus: 'DELETE_COMPLETE' }], undefined],
    ['none after a first deployment that failed', {}, [bucket], undefined],
  ])('has the table of %s', async (_, ofStack, all, expected) => {
    await cannedAws({ ListStackResources: [resources(all)] })
    expect(await tableOf(place, { ...stack, outputs: ofStack as Record<string, string> })).toBe(expected)
  })

  test.each([
    [[200, '{"Table":{}}'], true],
    [noTable, false],
  ] as [[number, string], boolean][])(
    'a table for which AWS answers %j exists: %s',
    async (answer, exists) => {
      await cannedAws({ DescribeTable: [answer] })
      expect(await hasTable(place, 'providers')).toBe(exists)
    },
  )
})

describe('a removal', () => {
  const answers = () => ({
    DescribeStacks: [stackIn('CREATE_COMPLETE'), stackIn('DELETE_IN_PROGRESS'), stackIn('DELETE_COMPLETE')],
    ListStackResources: [resources([table, bucket])],
    'GET /packages': [[200, listed('code.zip')] as [number, string]],
    'POST /packages': [[200, '<DeleteResult></DeleteResult>'] as [number, string]],
    DeleteStack: [result('DeleteStack')],
    DescribeTable: [[200, '{"Table":{}}'] as [number, string]],
  })
  const removed = async () => {
    const lines: string[] = []
    await undeploy({ stage: 'dev', region: 'eu-central-1' }, line => lines.push(line))
    return lines
  }

  test('empties the bucket, deletes the stack, waits for its end, and names the table that stays', async () => {
    const received = await cannedAws(answers())
    expect(await removed()).toEqual([
      `Removing the stack ${name} in eu-central-1 …`,
      'Stage dev is removed. Its table providers stays with its data.',
      'Before you deploy the stage with that table name again, import the table or delete it:',
      '',
      'aws dynamodb update-table --region eu-central-1 --table-name providers --no-deletion-protection-enabled',
      'aws dynamodb delete-table --region eu-central-1 --table-name providers',
    ])
    const steps = received.filter(action => !/^(List|Describe)/.test(action))
    expect(steps).toEqual(['GET /packages', 'POST /packages', 'DeleteStack'])
    expect(received.slice(-2)).toEqual(['DescribeStacks', 'DescribeTable'])
  })

  test('says that no table is left', async () => {
    await cannedAws({ ...answers(), DescribeTable: [noTable] })
    expect((await removed()).at(-1)).toBe('Stage dev is removed, and it has no table left.')
  })

  test('of a stage that is not deployed is refused', async () => {
    await cannedAws({ DescribeStacks: [noStack] })
    await expect(removed()).rejects.toThrow(
      `Stage dev is not deployed in eu-central-1 (there is no stack ${name}): check --stage, --region and the account.`,
    )
  })

  test('does not delete the stack when its bucket cannot be emptied', async () => {
    const error = '<DeleteResult><Error><Key>code.zip</Key><Message>locked</Message></Error></DeleteResult>'
    const received = await cannedAws({ ...answers(), 'POST /packages': [[200, error]] })
    await expect(removed()).rejects.toThrow('The bucket packages cannot be emptied: locked')
    expect(received).not.toContain('DeleteStack')
  })

  test.each([
    [{ StackStatusReason: 'The role is in use.' }, 'DELETE_FAILED', 'The role is in use.'],
    [{}, 'DELETE_FAILED', 'AWS gives no reason'],
    [{}, 'DELETE_IN_PROGRESS', 'AWS has not finished within 2 s; run the command again to wait longer.'],
  ])('that ends with %j and the state %s is reported', async (more, status, reason) => {
    await cannedAws({ ...answers(), DescribeStacks: [stackIn(status, more)] })
    await expect(removeStack(place, stack, 2)).rejects.toThrow(
      `The stack ${name} is not removed (${status}): ${reason}`,
    )
  })
})

describe('a failure of AWS is explained in one sentence', () => {
  const named = (errorName: string, more = {}) => Object.assign(new Error('x'), { name: errorName, ...more })
  const explained = (error: Error, profile?: string) => () =>
    explainAws({ ...place, ...(profile !== undefined && { profile }) }, 'CLOUDFORMATION')(error)
  const emulator = 'http://127.0.0.1:4566'

  test.each([
    [named('CredentialsProviderError'), undefined, 'No AWS credentials were found: set AWS_PROFILE, or '],
    [named('TokenProviderError'), 'me', 'The AWS profile me has no valid credentials: check your AWS '],
    [named('UnknownError'), undefined, 'The server at the address of AWS is not AWS or an emulator: check '],
    [new Error('Deserialization error: <'), undefined, 'is not AWS or an emulator: check AWS_ENDPOINT_URL.'],
    [
      named('Error', { code: 'ENOTFOUND' }),
      undefined,
      'AWS cannot be reached in the region eu-central-1 (ENOTF',
    ],
    [named('AccessDenied'), undefined, 'x'],
    [
      named('Error', { code: 'ERR_INVALID_CHAR', message: 'Invalid character' }),
      undefined,
      'Invalid character',
    ],
  ])('%s %s', (error, profile, sentence) => {
    vi.stubEnv('AWS_ENDPOINT_URL', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(explained(error, profile)).toThrow(sentence)
  })

  test('that names the emulator at which nothing answers', async () => {
    await cannedAws({})
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${await freePort()}`)
    await expect(findStack(place, 'dev')).rejects.toThrow(
      `Nothing answers at ${process.env.AWS_ENDPOINT_URL} (ECONNREFUSED): start the emulator, or correct AWS_ENDPOINT_URL.`,
    )
  })

  test('that names the variable whose value is not a URL', () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('AWS_ENDPOINT_URL', emulator)
    expect(endpointOf('S3')).toBe(emulator)
    vi.stubEnv('AWS_ENDPOINT_URL_S3', 'minio')
    expect(() => endpointOf('S3')).toThrow(
      'AWS_ENDPOINT_URL_S3 must be a URL such as http://localhost:4566, not',
    )
    expect(endpointOf('DYNAMODB')).toBe(emulator)
  })
})
