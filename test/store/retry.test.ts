import { afterEach, describe, expect, test, vi } from 'vitest'
import { batchSender, withRetry } from '../../lib/store/retry.ts'
import { delay } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'

const never = new AbortController().signal
const throttled = () => Object.assign(new Error('slow down'), { name: 'ThrottlingException' })

afterEach(() => void vi.restoreAllMocks())

/** With half of the longest pauses together: 100, 200, 400, 800 and, of 8 attempts, three of 1000 ms; of 60, 55. */
const retryable: [name: string, error: object, pausedMs?: number][] = [
  ['throttling', { name: 'ThrottlingException' }],
  ["another writer's transaction", { name: 'TransactionConflictException' }, 28_250],
  ['a server error', { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } }],
  ['a time-out', { name: 'TimeoutError' }],
  ['a refused connection', { code: 'ECONNREFUSED' }],
  ['a connection reset', { code: 'ECONNRESET' }],
]

describe('a call', () => {
  test.each(retryable)('is retried after %s', async (_, error) => {
    const clock = fakeClock()
    let calls = 0
    const call = async () => {
      calls += 1
      if (calls < 3) throw Object.assign(new Error(), error)
      return 'answer'
    }
    expect(await clock.moving(withRetry(clock, never, call))).toBe('answer')
    expect(calls).toBe(3)
  })

  test.each(retryable)('that always fails with %s ends as table_busy', async (_, error, pausedMs = 2250) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const clock = fakeClock()
    const startMs = clock.nowMs()
    const call = () => Promise.reject(Object.assign(new Error(), error))
    await expect(clock.moving(withRetry(clock, never, call))).rejects.toMatchObject({
      code: 'table_busy',
    })
    expect(clock.nowMs() - startMs).toBe(pausedMs)
  })

  test('that meets conflicts may still be throttled', async () => {
    const errors = [...Array(8).fill('TransactionConflictException'), 'ThrottlingException']
    const call = async () => {
      const name = errors.shift()
      if (name !== undefined) throw Object.assign(new Error(), { name })
      return 'answer'
    }
    const clock = fakeClock()
    expect(await clock.moving(withRetry(clock, never, call))).toBe('answer')
  })

  test.each(['ValidationException', 'AccessDeniedException'])('is not retried after %s', async name => {
    let calls = 0
    const call = async () => {
      calls += 1
      throw Object.assign(new Error(), { name, $metadata: { httpStatusCode: 400 } })
    }
    await expect(withRetry(fakeClock(), never, call)).rejects.toMatchObject({ name })
    expect(calls).toBe(1)
  })

  test('is not made when the signal has aborted', async () => {
    let calls = 0
    const call = async () => {
      calls += 1
    }
    const aborted = AbortSignal.abort(new Error('over'))
    await expect(withRetry(fakeClock(), aborted, call)).rejects.toThrow('over')
    expect(calls).toBe(0)
  })

  test("rejects with the signal's reason when it aborts, in the call and in a pause", async () => {
    for (const inCall of [true, false]) {
      const clock = fakeClock()
      const controller = new AbortController()
      const call = async () => {
        if (!inCall) throw throttled()
        controller.abort(new Error('over'))
        throw Object.assign(new Error(), { name: 'AbortError' })
      }
      const calling = withRetry(clock, controller.signal, call)
      if (!inCall) setImmediate(() => controller.abort(new Error('over')))
      await expect(calling).rejects.toThrow('over')
      expect(clock.scheduled()).toBe(0)
    }
  })
})

describe('a batch', () => {
  test('is sent again until all items are processed, each once', async () => {
    const clock = fakeClock()
    const done: number[] = []
    const send = async (batch: number[]) => {
      done.push(...batch.slice(0, 1))
      return batch.slice(1)
    }
    const batch = Array.from({ length: 25 }, (_, n) => n)
    await clock.moving(batchSender(clock)(never, batch, send))
    expect(done).toEqual(batch)
  })

  test('of which nothing is processed any more ends as table_busy, after eight attempts', async () => {
    const clock = fakeClock()
    const send = vi.fn(async (batch: number[]) => batch.slice(0, 1))
    await expect(clock.moving(batchSender(clock)(never, [1, 2], send))).rejects.toMatchObject({
      code: 'table_busy',
    })
    expect(send).toHaveBeenCalledTimes(1 + 8)
  })

  test('is not sent when the signal has aborted', async () => {
    const send = vi.fn(async () => [])
    const aborted = AbortSignal.abort(new Error('over'))
    await expect(batchSender(fakeClock())(aborted, [1], send)).rejects.toThrow('over')
    expect(send).not.toHaveBeenCalled()
  })

  test.each(['of its kind', 'of another kind'])(
    'of which nothing is processed is sent on while a batch %s makes progress',
    async which => {
      const clock = fakeClock()
      const progress = { items: 0 }
      const sendBatch = batchSender(clock, progress)
      const sendOther = which === 'of its kind' ? sendBatch : batchSender(clock, progress)
      let starved = 0
      const moving = sendOther(
        never,
        Array.from({ length: 40 }, (_, n) => n),
        async batch => {
          await delay(clock, 300, never)
          return batch.slice(1)
        },
      )
      const starving = sendBatch(never, [0], async batch => (++starved < 20 ? batch : []))
      await clock.moving(Promise.all([moving, starving]))
      expect(starved).toBe(20)
    },
  )

  test('of which nothing is processed, for a reason that cannot pass, throws it', async () => {
    const clock = fakeClock()
    const send = () => Promise.reject(Object.assign(new Error(), { name: 'ValidationException' }))
    const sending = batchSender(clock)(never, [1], send)
    await expect(clock.moving(sending)).rejects.toMatchObject({ name: 'ValidationException' })
  })

  test.each([
    ['is throttled', throttled(), 2],
    ['is throttled in part', undefined, 2],
    ['times out', Object.assign(new Error(), { name: 'TimeoutError', code: 'ETIMEDOUT' }), 2],
    ['loses its connection', Object.assign(new Error(), { name: 'TimeoutError', code: 'ECONNRESET' }), 3],
  ])('that %s decides how many are sent at once', async (_, error, atOnce) => {
    const clock = fakeClock()
    const sendBatch = batchSender(clock)
    const first = vi.fn().mockResolvedValue([])
    if (error) first.mockRejectedValueOnce(error)
    else first.mockResolvedValueOnce([1])
    await clock.moving(sendBatch(never, [1, 2], first))
    const { promise, resolve } = Promise.withResolvers<number[]>()
    const send = vi.fn(() => promise)
    const sending = Promise.all([1, 2, 3].map(n => sendBatch(never, [n], send)))
    await new Promise(setImmediate)
    expect(send).toHaveBeenCalledTimes(atOnce)
    resolve([])
    await clock.moving(sending)
  })
})
