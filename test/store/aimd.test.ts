import { expect, test, vi } from 'vitest'
import { aimdPace } from '../../lib/store/aimd.ts'
import { fakeClock } from '../support/fake-clock.ts'

const never = new AbortController().signal

const answered = (processed: number, throttled = 0) => ({ processed, throttled, hasTimedOut: false })
const timedOut = { processed: 0, throttled: 0, hasTimedOut: true }

/** A pace, and the milliseconds that `count` batches wait. */
function paceOnClock(firstPerSecond = 1000) {
  const clock = fakeClock()
  const pace = aimdPace(clock, firstPerSecond)
  const begin = (items = 25) => clock.moving(pace.begin(items, false, never))
  return {
    clock,
    pace,
    begin,
    throttle: async (items: number) => (await begin(1)).end(answered(0, items)),
    async turnsMs(count: number, items = 25) {
      const startMs = clock.nowMs()
      for (let turn = 0; turn < count; turn++) (await begin(items)).end(answered(items))
      return clock.nowMs() - startMs
    },
  }
}

test('nothing waits before an item is throttled', async () => {
  const { turnsMs } = paceOnClock()
  expect(await turnsMs(100)).toBe(0)
})

test('then batches wait until the items before them had their time', async () => {
  const { throttle, turnsMs } = paceOnClock()
  await throttle(1)
  expect(await turnsMs(2)).toBe(25)
  expect(await turnsMs(1)).toBeCloseTo(25, 0)
})

test('each further throttled item makes them slower, but not those of batches that were already in flight', async () => {
  const { begin, turnsMs } = paceOnClock()
  const [first, inFlight] = [await begin(), await begin()]
  first.end(answered(0, 1))
  const later = await begin(1)
  inFlight.end(answered(0, 25))
  expect(await turnsMs(2)).toBe(26)
  later.end(answered(0, 100))
  await turnsMs(1)
  expect(await turnsMs(1)).toBeGreaterThan(35)
})

test('a second in which batches wait makes them faster by a quarter, and one in which none is sent does not', async () => {
  const { clock, throttle, turnsMs } = paceOnClock()
  await throttle(1)
  const firstMs = await turnsMs(41)
  expect(firstMs).toBeGreaterThan(850)
  expect(firstMs).toBeLessThan(950)
  clock.advance(5000)
  expect(await turnsMs(2)).toBeCloseTo(20, 0)
})

test('after ten seconds without a batch nothing waits, and a throttled item begins with the first speed again', async () => {
  const { clock, throttle, turnsMs } = paceOnClock()
  await throttle(1)
  await throttle(100)
  await turnsMs(1)
  clock.advance(3_600_000)
  expect(await turnsMs(100)).toBe(0)
  await throttle(25)
  await turnsMs(1)
  expect(await turnsMs(1)).toBe(25)
})

test('limits are forgotten after ten seconds, but not while a batch is in flight', async () => {
  const { clock, begin, throttle, turnsMs } = paceOnClock()
  await throttle(1)
  const sent = await begin()
  clock.advance(11_000)
  expect(await turnsMs(2)).toBe(25)
  sent.end(timedOut)
  clock.advance(11_000)
  const begun = vi.fn()
  for (const batch of [begin(), begin()]) void batch.then(begun)
  await new Promise(resolve => setImmediate(resolve))
  expect(begun).toHaveBeenCalledTimes(2)
})

test('a batch that is throttled more than ten seconds after its turn slows the next ones down', async () => {
  const { clock, begin, turnsMs } = paceOnClock()
  const sent = await begin()
  clock.advance(11_000)
  sent.end(answered(0, 1))
  expect(await turnsMs(2)).toBe(25)
})

test('a clock that is set back keeps no batch waiting', async () => {
  const { clock, throttle, turnsMs } = paceOnClock()
  await throttle(1)
  await turnsMs(1)
  clock.advance(-3_600_000)
  expect(await turnsMs(2)).toBeLessThan(50)
})

test.each([1000, 3000])(
  'at %i items a second and at one, a batch waits for a second at most, and has as many items as are sent in it',
  async firstPerSecond => {
    const { begin, throttle, turnsMs } = paceOnClock(firstPerSecond)
    await throttle(1)
    expect((await begin(100)).items).toBe(100)
    for (let n = 0; n < 100; n++) await throttle(100)
    expect((await begin(100)).items).toBe(1)
    expect(await turnsMs(1, 100)).toBeCloseTo(1000, 0)
  },
)

test('a batch whose wait is aborted leaves its turn to the next', async () => {
  const { clock, pace, throttle, turnsMs } = paceOnClock()
  await throttle(1)
  await turnsMs(1)
  const controller = new AbortController()
  const waiting = pace.begin(1000, false, controller.signal)
  controller.abort(new Error('over'))
  await expect(waiting).rejects.toThrow('over')
  expect(await turnsMs(1)).toBe(25)
  expect(clock.scheduled()).toBe(0)
})

test('a time-out halves the batches at once, down to one, those in flight together only once; answers add to them', async () => {
  const { begin } = paceOnClock()
  const inFlight: Awaited<ReturnType<typeof begin>>[] = []
  const start = async (count: number) => {
    for (let n = 0; n < count; n++) void begin().then(batch => inFlight.push(batch))
    await new Promise(resolve => setImmediate(resolve))
  }
  await start(16)
  const atOnce: number[] = []
  for (const outcome of [timedOut, timedOut, timedOut, timedOut, timedOut, ...Array(4).fill(answered(25))]) {
    atOnce.push(inFlight.length)
    for (const { end } of inFlight.splice(0)) end(outcome)
    await start(20)
  }
  expect(atOnce).toEqual([16, 8, 4, 2, 1, 1, 2, 2, 3])
})

test('a batch that is aborted while others are in flight gives up its place', async () => {
  const { pace, begin } = paceOnClock()
  const first = await begin()
  first.end(timedOut)
  const second = await begin()
  const controller = new AbortController()
  const waiting = pace.begin(1, false, controller.signal)
  controller.abort(new Error('over'))
  await expect(waiting).rejects.toThrow('over')
  const next = begin()
  second.end(answered(25))
  expect((await next).items).toBe(25)
})
