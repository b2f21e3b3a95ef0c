import { expect, test } from 'vitest'
import { forEachConcurrently, prefetch } from '../../lib/concurrency.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))

/** Calls that take that many turns of the event loop, and fail when `fails` says so. */
function slowCalls(turns: (item: number) => number, fails: (item: number) => boolean = () => false) {
  const seen = { started: [] as number[], running: 0, maximum: 0 }
  const call = async (item: number) => {
    seen.started.push(item)
    seen.maximum = Math.max(seen.maximum, ++seen.running)
    for (let n = turns(item); n > 0; n--) await settle()
    seen.running--
    if (fails(item)) throw new Error(`failed ${item}`)
    return item
  }
  return { seen, call }
}

test('forEachConcurrently calls once per item, at most `atOnce` at a time', async () => {
  const { seen, call } = slowCalls(item => item)
  await forEachConcurrently([1, 2, 3, 4, 5], 2, async item => void (await call(item)))
  expect(seen).toEqual({ started: [1, 2, 3, 4, 5], running: 0, maximum: 2 })
})

test('forEachConcurrently throws the first error when all running calls have ended', async () => {
  let isEnded = false
  async function* stream() {
    try {
      for (let item = 1; item < 100; item++) yield item
    } finally {
      isEnded = true
    }
  }
  const { seen, call } = slowCalls(
    item => item,
    () => true,
  )
  const all = forEachConcurrently(stream(), 2, async item => void (await call(item)))
  await expect(all).rejects.toThrow('failed 1')
  expect([seen, isEnded]).toEqual([{ started: [1, 2], running: 0, maximum: 2 }, true])
})

test('forEachConcurrently starts no call for an item that a stream yields after an error', async () => {
  const second = Promise.withResolvers<number>()
  async function* stream() {
    yield* [1, second.promise]
  }
  const { seen, call } = slowCalls(
    () => 0,
    () => true,
  )
  const all = forEachConcurrently(stream(), 2, async item => void (await call(item)))
  const message = all.catch(error => error.message)
  await settle()
  second.resolve(2)
  expect([await message, seen.started]).toEqual(['failed 1', [1]])
})

test('prefetch yields the results in order, in whatever order the reads end', async () => {
  const { seen, call } = slowCalls(item => 6 - item)
  expect(await Array.fromAsync(prefetch([1, 2, 3, 4, 5], 3, call))).toEqual([1, 2, 3, 4, 5])
  expect(seen.maximum).toBe(3)
})

test('prefetch ends when all running reads have ended, also when its consumer stops early', async () => {
  const { seen, call } = slowCalls(
    item => item,
    item => item > 1,
  )
  for await (const item of prefetch([1, 2, 3, 4], 3, call)) if (item === 1) break
  expect(seen).toEqual({ started: [1, 2, 3], running: 0, maximum: 3 })
})

test('prefetch throws an error in order', async () => {
  const { call } = slowCalls(
    item => 3 - item,
    item => item === 2,
  )
  const seen: number[] = []
  const all = (async () => {
    for await (const item of prefetch([1, 2, 3], 3, call)) seen.push(item)
  })()
  await expect(all).rejects.toThrow('failed 2')
  expect(seen).toEqual([1])
})
