import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectToAws, endpointOf, explainAws } from '../../../infra/serverless/aws.ts'
import { findStack, resourcesOf } from '../../../infra/serverless/stack.ts'
import { freePort } from '../../support/free-port.ts'
import { bucket, cannedAws, noStack, place, refusal, resources, stack, stackIn, table } from './canned-aws.ts'

describe('the stack of a stage', () => {
  test('is found with its state and outputs', async () => {
    const Outputs = [{ OutputKey: 'TableName', OutputValue: 'providers' }]
    const { aws } = cannedAws({ DescribeStacks: [stackIn('UPDATE_COMPLETE', { Outputs })] })
    expect(await findStack(aws, 'dev')).toEqual({
      ...stack,
      status: 'UPDATE_COMPLETE',
      outputs: { TableName: 'providers' },
    })
  })

  test('is absent when AWS does not know it', async () => {
    const { aws } = cannedAws({ DescribeStacks: [noStack] })
    expect(await findStack(aws, 'dev')).toBeUndefined()
  })

  test.each([
    ['AccessDenied', 'not authorized'],
    ['ValidationError', '1 validation error detected'],
  ])('is not taken for absent when AWS answers %s: %s', async (code, message) => {
    const { aws } = cannedAws({ DescribeStacks: [refusal(code, message)] })
    await expect(findStack(aws, 'dev')).rejects.toThrow(message)
  })

  test('has the resources that exist, also those that a failed deployment left behind', async () => {
    const all = [table, { ...bucket, ResourceStatus: 'DELETE_COMPLETE' }, { LogicalResourceId: 'Refused' }]
    const kept = { LogicalResourceId: 'Logs', PhysicalResourceId: 'logs', ResourceStatus: 'DELETE_SKIPPED' }
    const { aws } = cannedAws({ ListStackResources: [resources(...all, kept)] })
    expect([...(await resourcesOf(aws, stack))]).toEqual([
      ['ProviderTable', 'providers'],
      ['Logs', 'logs'],
    ])
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
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const variable of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(variable, 'some')
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${await freePort()}`)
    await expect(findStack(connectToAws(place), 'dev')).rejects.toThrow(
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
