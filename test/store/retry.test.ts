import { afterEach, expect, test, vi } from 'vitest'
import { withRetry } from '../../lib/store/retry.ts'
import { fakeClock } from '../support/fake-clock.ts'

const never = new AbortController().signal
const throttled = () => Object.assign(new Error('slow down'), { name: 'ThrottlingException' })
const errorOf = (facts: object) => Object.assign(new Error(), facts)

afterEach(() => void vi.restoreAllMocks())

// With half of the longest pauses together: 100, 200, 400, 800 and, of 8 attempts, three of 1000 ms; of 60, 55.
test.each<[string, object, number?]>([
  ['throttling', { name: 'ThrottlingException' }],
  ["another writer's transaction", { name: 'TransactionConflictException' }, 28_250],
  ['a server error', { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } }],
  ['a time-out', { name: 'TimeoutError' }],
  ['a refused connection', { code: 'ECONNREFUSED' }],
  ['a connection reset', { code: 'ECONNRESET' }],
])('a call is retried after %s', async (_, facts, pausedMs = 2250) => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const clock = fakeClock()
  const call = vi.fn(async () => 'answer')
  call.mockRejectedValueOnce(errorOf(facts)).mockRejectedValueOnce(errorOf(facts))
  expect(await clock.moving(withRetry(clock, never, call))).toBe('answer')
  expect(call).toHaveBeenCalledTimes(3)

  const startMs = clock.nowMs()
  call.mockRejectedValue(errorOf(facts))
  const failing = clock.moving(withRetry(clock, never, call))
  await expect(failing).rejects.toMatchObject({ code: 'table_busy' })
  expect(clock.nowMs() - startMs).toBe(pausedMs)
})

test('a call that meets conflicts may still be throttled', async () => {
  const errors = [...Array(8).fill('TransactionConflictException'), 'ThrottlingException']
  const call = async () => {
    const name = errors.shift()
    if (name !== undefined) throw errorOf({ name })
    return 'answer'
  }
  const clock = fakeClock()
  expect(await clock.moving(withRetry(clock, never, call))).toBe('answer')
})

test.each(['ValidationException', 'AccessDeniedException'])('a call is not retried after %s', async name => {
  const call = vi.fn().mockRejectedValue(errorOf({ name, $metadata: { httpStatusCode: 400 } }))
  await expect(withRetry(fakeClock(), never, call)).rejects.toMatchObject({ name })
  expect(call).toHaveBeenCalledTimes(1)
})

test.each([
  ['before it', 0],
  ['in it', 1],
  ['in a call that never ends', 1],
  ['in a pause', 1],
])("a call whose signal aborts %s rejects with the signal's reason", async (when, calls) => {
  const clock = fakeClock()
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('over'))
  const call = vi.fn(async () => {
    if (when === 'in a pause') throw throttled()
    abort()
    if (when === 'in a call that never ends') return new Promise(() => {})
    throw errorOf({ name: 'AbortError' })
  })
  if (when === 'before it') abort()
  const calling = withRetry(clock, controller.signal, call)
  if (when === 'in a pause') setImmediate(abort)
  await expect(calling).rejects.toThrow('over')
  expect(call).toHaveBeenCalledTimes(calls)
  expect(clock.scheduled()).toBe(0)
})
