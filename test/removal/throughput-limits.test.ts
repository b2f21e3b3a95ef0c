import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { type Item, membershipItem, userItem } from '../../lib/store/items.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleUser, userId } from '../support/samples.ts'
import type { Reply } from './faults.ts'
import { throughputLimits } from './throughput-limits.ts'

/** A user whose item has a little more than 2 KB: three write units, one read unit. */
const user = userItem({ ...sampleUser(1), principal_name: 'x'.repeat(1800) })
const key = marshall({ PK: user.PK, SK: user.SK })

/** Limits of 1,000 writes and 3,000 reads that nothing has used, and calls whose engine does everything. */
function limited(items: Item[] = []) {
  const clock = fakeClock()
  const { plan } = throughputLimits(clock, items)
  const sent: Record<string, unknown>[] = []
  const ask = (operation: string, body: Record<string, unknown>) =>
    plan({
      n: 1,
      operation,
      body,
      async send(part = body): Promise<Reply> {
        sent.push(part)
        return { output: {} }
      },
    })
  const often = async (count: number, call: () => Promise<unknown>) => {
    const errors = new Set<string>()
    let done = 0
    for (let n = 0; n < count; n++)
      await call().then(
        () => done++,
        (error: Error) => errors.add(error.name),
      )
    return { done, errors: [...errors] }
  }
  return { clock, ask, often, sent }
}

test('a partition takes 1,000 write units at once, and then 1,000 per second', async () => {
  const { clock, ask, often } = limited([user])
  const update = () => ask('UpdateItem', { Key: key })
  expect(await often(1000, update)).toEqual({ done: 333, errors: ['ThrottlingException'] })
  clock.advance(500)
  expect((await often(1000, update)).done).toBe(167)
  clock.advance(60_000)
  expect((await often(1000, update)).done).toBe(333)
})

test('reads have limits of their own', async () => {
  const { ask, often } = limited([user])
  await often(1000, () => ask('UpdateItem', { Key: key }))
  const reads = await often(4000, () => ask('GetItem', { Key: key }))
  expect(reads).toEqual({ done: 3000, errors: ['ThrottlingException'] })
})

test('a batch is done in part, and one of which nothing is done fails', async () => {
  const { ask, often, sent } = limited()
  const puts = Array.from({ length: 25 }, (_, n) => ({
    PutRequest: { Item: marshall(membershipItem(7, userId(n), 1)) },
  }))
  const write = () => ask('BatchWriteItem', { RequestItems: { table: puts } })
  const unprocessed = Array.from({ length: 10 }, (_, n) => ({
    PutRequest: { Item: membershipItem(7, userId(n + 15), 1) },
  }))
  await often(39, write)
  await ask('BatchWriteItem', { RequestItems: { table: puts.slice(0, 10) } })
  const { output } = await write()
  expect(sent.at(-1)).toEqual({ RequestItems: { table: puts.slice(0, 15) } })
  expect(output).toEqual({ UnprocessedItems: { table: unprocessed } })
  expect((await often(1, write)).errors).toEqual(['ProvisionedThroughputExceededException'])
})
