import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { isTransientError } from '@smithy/core/retry'
import { expect, test } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { completeReply } from '../../lib/store/broken-reply.ts'
import { openClient } from '../../lib/store/client.ts'
import { type Table, openTable } from '../../lib/store/table.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { serverOf } from '../support/machine.ts'
import { openOwnClient, type Plan, replyOf, withPlan } from '../support/test-client.ts'

const key = { PK: 'partition', SK: 'one' }
const stored = { PK: { S: key.PK }, SK: { S: key.SK } }

type Call = (table: Table, signal: AbortSignal) => Promise<unknown>
const update = { key, change: 'SET a = ?', changeValues: [1], condition: 'a = ?', conditionValues: [0] }
const calls: [name: string, call: Call, reply: object][] = [
  ['get', (table, signal) => table.get(key, signal), { ConsumedCapacity: {} }],
  [
    'query',
    (table, signal) => table.query({ PK: key.PK, prefix: '' }, item => item, signal),
    { Items: [], Count: 0 },
  ],
  [
    'update',
    (table, signal) => table.update(key, { UpdateExpression: 'REMOVE a' }, signal),
    { Attributes: stored },
  ],
  ['batchGet', (table, signal) => table.batchGet([key], signal), { Responses: {}, UnprocessedKeys: {} }],
  ['updateUsers', (table, signal) => table.updateUsers([update], signal), { Responses: [{}] }],
  ['updateMemberships', (table, signal) => table.updateMemberships([update], signal), { Responses: [{}] }],
]

test.each(calls)('a %s ends with its signal even when the reply arrives', async (_, call, reply) => {
  const controller = new AbortController()
  const table = openTable(openOwnClient(fakeClock()), 'any', fakeClock())
  const late: Plan = async () => {
    controller.abort(new Error('the time is over'))
    return replyOf(reply)
  }
  await expect(withPlan(late, () => call(table, controller.signal))).rejects.toThrow('the time is over')
})

const query = new QueryCommand({
  TableName: 'any',
  KeyConditionExpression: 'PK = :p',
  ExpressionAttributeValues: { ':p': 'any' },
})

test.each(['breaks off', 'hangs until the signal aborts'])(
  'a call whose reply %s after its first bytes fails',
  async way => {
    const controller = new AbortController()
    const endpoint = await serverOf((_, response) => {
      response.writeHead(200, { 'content-length': 20 })
      response.write('{"Count":1', () => (way === 'breaks off' ? response.destroy() : controller.abort()))
    })
    const sent = openClient({ endpoint, ...localAws }).send(query, { abortSignal: controller.signal })
    const error = await completeReply(sent, 'Items').catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(Error)
    const isTransient = isTransientError(error as Parameters<typeof isTransientError>[0])
    if (way === 'breaks off') expect(isTransient, String(error)).toBe(true)
  },
)
