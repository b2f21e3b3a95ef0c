import { randomUUID } from 'node:crypto'
import { CreateTableCommand, type KeyType, type ScalarAttributeType } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { dropTable } from '../../infra/resources/table.ts'
import { dataHere } from './command-process.ts'
import { described, openOnAws } from './fake-aws.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each([
  ['PK (S)', [['PK', 'S', 'HASH']]],
  [
    'PK (S) and SK (N)',
    [
      ['PK', 'S', 'HASH'],
      ['SK', 'N', 'RANGE'],
    ],
  ],
  [
    'pk (S) and sk (S)',
    [
      ['pk', 'S', 'HASH'],
      ['sk', 'S', 'RANGE'],
    ],
  ],
])('a command refuses a table with the key %s', async (key, attributes) => {
  const endpoint = inject('dynamodbEndpoint')
  const client = connectTo(endpoint)
  onTestFinished(() => client.destroy())
  const TableName = `key-${randomUUID()}`
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType: AttributeType as ScalarAttributeType,
      })),
      KeySchema: attributes.map(([AttributeName, , KeyType]) => ({
        AttributeName,
        KeyType: KeyType as KeyType,
      })),
    }),
  )
  onTestFinished(() => dropTable(client, TableName))
  expect(await dataHere('verify', '--table', TableName)).toEqual({
    code: 2,
    stdout: '',
    stderr: `The table ${TableName} at ${endpoint} has the key ${key}, not PK (S) and SK (S): check --table.\n`,
  })
})

describe('a command warns, and goes on,', () => {
  const ttl = (AttributeName: string, TimeToLiveStatus: string) => ({
    TimeToLiveDescription: { AttributeName, TimeToLiveStatus },
  })
  test.each([
    [
      { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } },
      /^The table accounts has no TTL on expires_at, .+\n$/,
    ],
    [ttl('expires_at', 'DISABLING'), /^The table accounts has no TTL on expires_at, .+\n$/],
    [ttl('ttl', 'ENABLED'), /^The table accounts has no TTL on expires_at, .+\n$/],
    [ttl('expires_at', 'ENABLING'), /^$/],
    [ttl('expires_at', 'ENABLED'), /^$/],
  ])('when a table of AWS has not the TTL: %j', async (DescribeTimeToLive, warning) => {
    const outcome = await openOnAws({ ...described, DescribeTimeToLive })
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(warning) })
  })

  test('when it has no right to look', async () => {
    expect(await openOnAws({})).toEqual({
      code: 0,
      stdout: '',
      stderr: ['DescribeTable', 'DescribeTimeToLive']
        .map(
          action =>
            `The table was not checked, because your credentials lack the right dynamodb:${action}.\n`,
        )
        .join(''),
    })
  })
})
