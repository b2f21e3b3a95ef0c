import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { isTransientError } from '@smithy/core/retry'
import { expect, test } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { completeReply } from '../../lib/store/broken-reply.ts'
import { openClient } from '../../lib/store/client.ts'
import { type Table, openTable } from '../../lib/store/table.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { serverOf } from '../support/machine.ts'

const key = { PK: 'partition', SK: 'one' }

test.each<[string, (table: Table, signal: AbortSignal) => Promise<unknown>]>([
  ['get', (table, signal) => table.get(key, signal)],
  ['query', (table, signal) => table.query({ PK: key.PK, prefix: '' }, item => item, signal)],
  ['update', (table, signal) => table.update(key, { UpdateExpression: 'REMOVE a' }, signal)],
  ['batchGet', (table, signal) => table.batchGet([key], signal)],
  ['transact', (table, signal) => table.transact([{ Delete: { Key: key } }], signal)],
])('a %s whose credentials never come ends with its signal', async (_, call) => {
  const where = {
    ...localAws,
    endpoint: 'http://127.0.0.1:9',
    credentials: () => new Promise<never>(() => {}),
  }
  const controller = new AbortController()
  const calling = call(openTable(openClient(where), 'any', fakeClock()), controller.signal)
  setImmediate(() => controller.abort(new Error('over')))
  await expect(calling).rejects.toThrow('over')
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
