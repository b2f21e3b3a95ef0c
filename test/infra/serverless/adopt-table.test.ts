import { describe, expect, test } from 'vitest'
import { prepareTable } from '../../../infra/serverless/adopt-table.ts'
import { cannedAws } from './canned-aws.ts'

const KeySchema = [
  { AttributeName: 'PK', KeyType: 'HASH' },
  { AttributeName: 'SK', KeyType: 'RANGE' },
]
const TimeToLiveSpecification = { AttributeName: 'expires_at', Enabled: true }
const template = {
  Resources: {
    ProviderTable: { Properties: { TableName: 'providers', KeySchema, TimeToLiveSpecification } },
  },
  Metadata: { Parameters: {} },
}
const answers = (isOn: boolean, more = {}) => {
  const status = isOn ? 'ENABLED' : 'DISABLED'
  const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus: status }
  return {
    DescribeTable: [
      { Table: { KeySchema, TableStatus: 'ACTIVE', DeletionProtectionEnabled: isOn, ...more } },
    ],
    DescribeTimeToLive: [{ TimeToLiveDescription: { TimeToLiveStatus: status } }],
    DescribeContinuousBackups: [{ ContinuousBackupsDescription: { PointInTimeRecoveryDescription } }],
    ...{ UpdateTable: [{}], UpdateTimeToLive: [{}], UpdateContinuousBackups: [{}] },
  }
}

describe('a table that a stage takes over', () => {
  test('gets what a restored table lacks', async () => {
    const { aws, inputs } = cannedAws(answers(false))
    expect(await prepareTable(aws, template)).toEqual([
      'TTL',
      'point-in-time recovery',
      'deletion protection',
    ])
    expect(inputs).toMatchObject({
      UpdateTimeToLive: { TableName: 'providers', TimeToLiveSpecification },
      UpdateContinuousBackups: { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
      UpdateTable: { TableName: 'providers', DeletionProtectionEnabled: true },
    })
  })

  test('stays as it is after undeploy', async () => {
    const { aws, received } = cannedAws(answers(true))
    expect(await prepareTable(aws, template)).toEqual([])
    expect(received.filter(action => action.startsWith('Update'))).toEqual([])
  })

  test.each([
    [{ KeySchema: KeySchema.slice(0, 1) }, 'The table providers has other keys than PK and SK: '],
    [{ TableStatus: 'CREATING' }, 'The table providers is not ready (CREATING): deploy again '],
  ])('is refused, and is not changed, with %j', async (more, sentence) => {
    const { aws, received } = cannedAws(answers(false, more))
    await expect(prepareTable(aws, template)).rejects.toThrow(sentence)
    expect(received).toEqual(['DescribeTable'])
  })
})
