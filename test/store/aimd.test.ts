import { expect, test } from 'vitest'
import { adaptivePace } from '../../lib/store/pace.ts'
import { fakeClock } from '../support/fake-clock.ts'

const never = new AbortController().signal

/** A pace, and the milliseconds that `count` turns take. */
function paceOnClock(firstPerSecond = 1000) {
  const clock = fakeClock()
  const pace = adaptivePace(clock, firstPerSecond)
  return {
    clock,
    pace,
    throttle: (items: number) => pace.sending()(0, items),
    async turnsMs(count: number, items = 25) {
      const startMs = clock.nowMs()
      for (let turn = 0; turn < count; turn++) await clock.moving(pace.turn(items, never))
      return clock.nowMs() - startMs
    },
  }
}

test('nothing waits before an item is throttled', async () => {
  const { pace, turnsMs } = paceOnClock()
  pace.sending()(25, 0)
  expect(await turnsMs(100)).toBe(0)
})

test('then batches wait until the items before them had their time', async () => {
  const { throttle, turnsMs } = paceOnClock()
  throttle(1)
  expect(await turnsMs(2)).toBe(25)
  expect(await turnsMs(1)).toBeCloseTo(25, 0)
})

test('each further throttled item makes them slower, but not those of batches that were already in flight', async () => {
  const { pace, throttle, turnsMs } = paceOnClock()
  const [first, inFlight] = [pace.sending(), pace.sending()]
  first(0, 1)
  inFlight(0, 25)
  expect(await turnsMs(2)).toBe(25)
  throttle(25)
  expect(await turnsMs(2)).toBeGreaterThan(50)
})

test('a second in which batches wait makes them faster by a quarter, and one in which none is sent does not', async () => {
  const { clock, throttle, turnsMs } = paceOnClock()
  throttle(1)
  const firstMs = await turnsMs(41)
  expect(firstMs).toBeGreaterThan(850)
  expect(firstMs).toBeLessThan(950)
  clock.advance(5000)
  expect(await turnsMs(2)).toBeCloseTo(20, 0)
})

test('after ten seconds without a batch nothing waits, and a throttled item begins with the first speed again', async () => {
  const { clock, throttle, turnsMs } = paceOnClock()
  throttle(1)
  throttle(100)
  await turnsMs(1)
  clock.advance(3_600_000)
  expect(await turnsMs(100)).toBe(0)
  throttle(25)
  await turnsMs(1)
  expect(await turnsMs(1)).toBe(25)
})

test('a batch that is throttled more than ten seconds after its turn slows the next ones down', async () => {
  const { clock, pace, turnsMs } = paceOnClock()
  await turnsMs(1)
  const sent = pace.sending()
  clock.advance(11_000)
  sent(0, 1)
  expect(await turnsMs(2)).toBe(25)
})

test('a clock that is set back keeps no batch waiting', async () => {
  const { clock, throttle, turnsMs } = paceOnClock()
  throttle(1)
  await turnsMs(1)
  clock.advance(-3_600_000)
  expect(await turnsMs(2)).toBeLessThan(50)
})

test.each([
  ['25 writes', 25, 1000],
  ['100 reads', 100, 3000],
])(
  'a batch of %s waits for less than a second, however much was throttled',
  async (_, items, firstPerSecond) => {
    const { throttle, turnsMs } = paceOnClock(firstPerSecond)
    for (let n = 0; n < 1000; n++) throttle(items)
    expect(await turnsMs(2, items)).toBeLessThan(1000)
  },
)

test('a batch whose wait is aborted leaves its turn to the next', async () => {
  const { clock, pace, throttle, turnsMs } = paceOnClock()
  throttle(1)
  await turnsMs(1)
  const aborted = AbortSignal.abort(new Error('over'))
  await expect(pace.turn(1000, aborted)).rejects.toThrow('over')
  expect(await turnsMs(1)).toBe(25)
  expect(clock.scheduled()).toBe(0)
})

test('processed items of all batches are counted', () => {
  const { pace } = paceOnClock()
  pace.sending()(20, 5)
  pace.sending()(5, 0)
  expect(pace.processed()).toBe(25)
})
