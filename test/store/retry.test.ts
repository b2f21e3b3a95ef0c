import { describe, expect, test } from 'vitest'
import { withRetry, retryUnprocessed } from '../../lib/store/retry.ts'
import { fakeClock } from '../support/fake-clock.ts'

const never = new AbortController().signal
const throttled = () => Object.assign(new Error('slow down'), { name: 'ThrottlingException' })

const passing: [string, object][] = [
  ['throttling', { name: 'ThrottlingException' }],
  ['too little throughput', { name: 'ProvisionedThroughputExceededException' }],
  ['a limit of requests', { name: 'RequestLimitExceeded' }],
  ["another writer's transaction", { name: 'TransactionConflictException' }],
  ['a server error', { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } }],
  ['unavailability', { name: 'Unknown', $metadata: { httpStatusCode: 503 } }],
  ['a time-out', { name: 'TimeoutError' }],
  ['a refused connection', { code: 'ECONNREFUSED' }],
  ['a connection reset', { code: 'ECONNRESET' }],
]

describe('a call', () => {
  test.each(passing)('is made again after %s', async (_, error) => {
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

  test.each(passing)('that only meets %s ends as table_busy', async (_, error) => {
    const clock = fakeClock()
    const call = () => Promise.reject(Object.assign(new Error(), error))
    await expect(clock.moving(withRetry(clock, never, call))).rejects.toMatchObject({
      code: 'table_busy',
    })
  })

  test.each(['ValidationException', 'ResourceNotFoundException', 'AccessDeniedException'])(
    'that meets %s ends with it at once',
    async name => {
      let calls = 0
      const call = async () => {
        calls += 1
        throw Object.assign(new Error(), { name, $metadata: { httpStatusCode: 400 } })
      }
      await expect(withRetry(fakeClock(), never, call)).rejects.toMatchObject({ name })
      expect(calls).toBe(1)
    },
  )

  test('is not made under a signal that has aborted', async () => {
    let calls = 0
    const call = async () => {
      calls += 1
    }
    const aborted = AbortSignal.abort(new Error('over'))
    await expect(withRetry(fakeClock(), aborted, call)).rejects.toThrow('over')
    expect(calls).toBe(0)
  })

  test('that the signal ends gives its reason, whatever the call says, in the call and in a pause', async () => {
    for (const early of [true, false]) {
      const clock = fakeClock()
      const cut = new AbortController()
      const call = async () => {
        if (early) cut.abort(new Error('over'))
        throw throttled()
      }
      const calling = withRetry(clock, cut.signal, call)
      if (!early) setImmediate(() => cut.abort(new Error('over')))
      await expect(calling).rejects.toThrow('over')
      expect(clock.scheduled()).toBe(0)
    }
  })
})

describe('a batch', () => {
  test('is sent again until nothing is left, and each item counts once', async () => {
    const clock = fakeClock()
    const done: number[] = []
    const send = async (batch: number[]) => {
      done.push(...batch.slice(0, 1))
      return batch.slice(1)
    }
    const batch = Array.from({ length: 25 }, (_, n) => n)
    await clock.moving(retryUnprocessed(clock, never, batch, send))
    expect(done).toEqual(batch)
  })

  test('of which nothing is ever processed ends as table_busy', async () => {
    const clock = fakeClock()
    const send = async (batch: number[]) => batch
    await expect(clock.moving(retryUnprocessed(clock, never, [1], send))).rejects.toMatchObject({
      code: 'table_busy',
    })
  })
})
