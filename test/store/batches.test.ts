import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { batchCalls } from '../../lib/store/batch-calls.ts'
import { batchesAtOnce } from '../../lib/store/batches-at-once.ts'
import { delay } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'

const never = new AbortController().signal

/** Batches; `start` begins more of them, and `inFlight` has the ends of those that may be sent. */
function batches() {
  const begin = batchesAtOnce()
  const inFlight: ((isCongested: boolean) => void)[] = []
  const start = async (count: number) => {
    for (let n = 0; n < count; n++) void begin(never).then(end => inFlight.push(end))
    await new Promise(resolve => setImmediate(resolve))
  }
  return { begin, inFlight, start }
}

/** Batches of which one at a time may be sent, and one is in flight. */
async function limitedToOne() {
  const limited = batches()
  await limited.start(1)
  limited.inFlight.pop()?.(true)
  await limited.start(1)
  return limited
}

test('congestion halves the batches at once', async () => {
  const { inFlight, start } = batches()
  await start(40)
  const atOnce: number[] = []
  for (const isCongested of [...Array(6).fill(true), ...Array(4).fill(false)]) {
    atOnce.push(inFlight.length)
    for (const end of inFlight.splice(0)) end(isCongested)
    await start(20)
  }
  expect(atOnce).toEqual([40, 20, 10, 5, 2, 1, 1, 2, 2, 3])
})

test('batches that wait are sent in their order', async () => {
  const { begin, inFlight, start } = await limitedToOne()
  const begun: number[] = []
  for (const n of [1, 2, 3]) void begin(never).then(end => begun.push(n) && inFlight.push(end))
  for (let n = 0; n < 3; n++) {
    inFlight.shift()?.(true)
    await start(0)
  }
  expect(begun).toEqual([1, 2, 3])
})

test('a batch that is aborted in the queue gives up its place', async () => {
  const { begin, inFlight, start } = await limitedToOne()
  const controller = new AbortController()
  const waiting = begin(controller.signal)
  await start(1)
  controller.abort(new Error('over'))
  await expect(waiting).rejects.toThrow('over')
  expect(inFlight).toHaveLength(1)
  inFlight[0]?.(true)
  await start(0)
  expect(inFlight).toHaveLength(2)
})

test('a batch that is aborted in the moment of its admission gives up its place', async () => {
  const { begin, inFlight, start } = await limitedToOne()
  const controller = new AbortController()
  const waiting = begin(controller.signal)
  controller.abort(new Error('over'))
  inFlight.pop()?.(true)
  await expect(waiting).rejects.toThrow('over')
  await start(1)
  expect(inFlight).toHaveLength(1)
})

type Kind = 'batchGet' | 'updateUsers' | 'updateMemberships'
interface Input {
  RequestItems?: { any: { Keys: object[] } }
  Statements?: { Parameters: unknown[] }[]
}

/** The batches of a table of which each call processes so many items, the first ones of the batch. */
function tableThatTakes(processed: (kind: Kind) => Promise<number>) {
  const clock = fakeClock()
  async function send({ input: { RequestItems, Statements = [] } }: { input: Input }) {
    if (RequestItems === undefined) {
      const isOfUsers = JSON.stringify(Statements[0]?.Parameters).includes('USER')
      const done = await processed(isOfUsers ? 'updateUsers' : 'updateMemberships')
      return { Responses: Statements.map((_, n) => (n < done ? {} : { Error: { Code: 'ThrottlingError' } })) }
    }
    const Keys = RequestItems.any.Keys.slice(await processed('batchGet'))
    return { Responses: { any: [] }, UnprocessedKeys: { any: { Keys } } }
  }
  const calls = batchCalls({ send } as unknown as DynamoDBDocumentClient, 'any', clock)
  const sendBatch = (kind: Kind, size: number): Promise<unknown> => {
    const keys = Array.from({ length: size }, (_, n) => ({
      PK: kind === 'updateUsers' ? 'USER' : 'x',
      SK: `${n}`,
    }))
    if (kind === 'batchGet') return calls.batchGet(keys, never)
    return calls[kind](
      keys.map(key => ({
        key,
        change: 'SET a = ?',
        changeValues: [1],
        condition: 'a = ?',
        conditionValues: [0],
      })),
      never,
    )
  }
  return { clock, sendBatch }
}

test.each<[Kind, Kind]>([
  ['batchGet', 'updateMemberships'],
  ['updateUsers', 'updateMemberships'],
])('a starving %s is sent on as long as a %s makes progress', async (starving, moving) => {
  let starved = 0
  const { clock, sendBatch } = tableThatTakes(async kind => {
    if (kind === starving) return ++starved < 20 ? 0 : 1
    await delay(clock, 300, never)
    return 1
  })
  await clock.moving(Promise.all([sendBatch(moving, 60), sendBatch(starving, 1)]))
  expect(starved).toBe(20)
})

test.each<[Kind, Kind]>([
  ['updateMemberships', 'updateUsers'],
  ['updateUsers', 'batchGet'],
])('a throttled %s does not limit how many %s are sent at once', async (throttled, other) => {
  const { promise: reply, resolve } = Promise.withResolvers<number>()
  let hasFailed = false
  let sent = 0
  const { clock, sendBatch } = tableThatTakes(async kind => {
    if (kind === other) {
      sent += 1
      return reply
    }
    if (hasFailed) return 1
    hasFailed = true
    return 0
  })
  await clock.moving(sendBatch(throttled, 1))
  const sending = [1, 2, 3].map(() => sendBatch(other, 1))
  await new Promise(setImmediate)
  expect(sent).toBe(3)
  resolve(1)
  await clock.moving(Promise.all(sending))
})
