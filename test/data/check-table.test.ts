import { randomUUID } from 'node:crypto'
import { CreateTableCommand, type ScalarAttributeType } from '@aws-sdk/client-dynamodb'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { dropTable } from '../../infra/resources/table.ts'
import { dataHere } from './command-process.ts'
import { described, openOnAws } from './fake-aws.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each<[key: string, ...attributes: [string, ScalarAttributeType][]]>([
  ['PK (S)', ['PK', 'S']],
  ['PK (S) and SK (N)', ['PK', 'S'], ['SK', 'N']],
  ['pk (S) and sk (S)', ['pk', 'S'], ['sk', 'S']],
])('a command refuses a table with the key %s', async (key, ...attributes) => {
  const endpoint = inject('dynamodbEndpoint')
  const client = connectTo(endpoint)
  const TableName = `key-${randomUUID()}`
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: attributes.map(([AttributeName], n) => ({
        AttributeName,
        KeyType: n === 0 ? 'HASH' : 'RANGE',
      })),
    }),
  )
  onTestFinished(() => dropTable(client, TableName))
  const stderr = `The table ${TableName} at ${endpoint} has the key ${key}, not PK (S) and SK (S): check --table.\n`
  expect(await dataHere('verify', '--table', TableName)).toEqual({ code: 2, stdout: '', stderr })
})

describe('a command warns, and goes on,', () => {
  const missing = /^The table accounts has no TTL on expires_at, .+\n$/
  test.each<[string, string | undefined, RegExp]>([
    ['DISABLED', undefined, missing],
    ['DISABLING', 'expires_at', missing],
    ['ENABLED', 'ttl', missing],
    ['ENABLING', 'expires_at', /^$/],
    ['ENABLED', 'expires_at', /^$/],
  ])('when a table of AWS has not the TTL: %s on %s', async (TimeToLiveStatus, AttributeName, warning) => {
    const TimeToLiveDescription = { TimeToLiveStatus, AttributeName }
    const outcome = await openOnAws({ ...described, DescribeTimeToLive: { TimeToLiveDescription } })
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(warning) })
  })

  test('when it has no right to look', async () => {
    const sentence = (action: string) =>
      `The table was not checked, because your credentials lack the right dynamodb:${action}.\n`
    const stderr = `${sentence('DescribeTable')}${sentence('DescribeTimeToLive')}`
    expect(await openOnAws({})).toEqual({ code: 0, stdout: '', stderr })
  })
})
