import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Plan, withPlan } from '../removal/faults.ts'
import { fakeResponseStream } from '../support/fake-response-stream.ts'
import { sampleUser } from '../support/samples.ts'
import type { World } from '../support/world.ts'
import { accept, hangingReads, linked, pretendTotal, readsFrom, worldOf } from './scenario.ts'

describe('a streamed answer', () => {
  test('has the status, headers and bytes of the buffered one, in each coding', async () => {
    const answersOf = async (mode: string) => {
      const w = await worldOf(101, { RESPONSE_TRANSFER_MODE: mode })
      const answers = []
      for (const request of ['identity', 'br', 'gzip'].map(accept))
        answers.push(await w.list(request), await w.remove(7, request), await w.remove(8, request))
      return answers.map(({ status, headers, text }) => ({ status, headers, text }))
    }
    const streamed = await answersOf('STREAM')
    expect(streamed).toEqual(await answersOf('BUFFERED'))
    expect(streamed.map(({ status }) => status)).toEqual(Array(3).fill([200, 200, 404]).flat())
  })

  test('begins before all users are read, and the others are read while it is sent', async () => {
    const w = await worldOf(500)
    const first = await w.remove(7)
    let reads = 0
    const counting: Plan = ({ operation, send }) => {
      if (operation === 'BatchGetItem') reads++
      return send()
    }
    const readsWhenSent: number[] = []
    const stream = fakeResponseStream(() => readsWhenSent.push(reads))
    const { result } = await withPlan(counting, () => w.remove(7, { stream }))
    expect(result.text).toBe(first.text)
    expect(readsWhenSent[0]).toBeLessThan(5)
    expect([readsWhenSent.length, reads]).toEqual([6, 5])
  })

  test('reads no further pages while the client reads nothing', async () => {
    const w = await worldOf(1)
    let pages = 0
    async function* counted() {
      for (; pages < 50; pages++) yield [sampleUser(pages)]
    }
    w.deps.removeProvider = async () => ({ total: 50, pages: counted() })
    const client = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const stream = fakeResponseStream(() => {
      begun.resolve()
      return client.promise
    })
    const answered = w.remove(7, { stream })
    await Promise.race([begun.promise, answered])
    // The fake pages take only promises, which settle before an immediate runs.
    await new Promise(setImmediate)
    expect(pages).toBe(0)
    client.resolve()
    expect((await answered).users()).toHaveLength(50)
  })

  test.each(['identity', 'br', 'gzip'])(
    'begins with the first page in %s, so that its wait may end before the second one',
    async coding => {
      const w = await worldOf(1)
      const begun = Promise.withResolvers<void>()
      async function* late() {
        yield [sampleUser(1)]
        await begun.promise
        w.clock.advance(28_000)
        yield [sampleUser(2)]
      }
      w.deps.removeProvider = async () => ({ total: 2, pages: late() })
      const stream = fakeResponseStream(() => begun.resolve())
      expect((await w.remove(7, { ...accept(coding), stream })).status).toBe(200)
    },
  )

  test('begins within the wait, and may end after it', async () => {
    const w = await worldOf(201)
    const wait = { more: [['Prefer', 'wait=10']] as [string, string][] }
    const slow = fakeResponseStream(() => w.clock.advance(20_000))
    const { status, json, headers } = await w.remove(7, { ...wait, stream: slow })
    expect([status, json().data.affected_user.length, headers['Preference-Applied']]).toEqual([
      200,
      201,
      'wait=10',
    ])

    const { removeProvider } = w.deps
    w.deps.removeProvider = async (found, context) => {
      const users = await removeProvider(found, context)
      w.clock.advance(10_000)
      return users
    }
    expect((await w.remove(7, wait)).json().code).toBe('wait_expired')
  })
})

describe('a failure of a streamed answer', () => {
  test('before the first byte is an ordinary problem', async () => {
    const w = await worldOf(201)
    const broken = readsFrom(1, () => Promise.reject(new TypeError('broken')))
    const { status, json } = (await withPlan(broken, () => w.remove(7))).result
    expect([status, json().code]).toEqual([500, 'internal_error'])
    expect((await w.remove(7)).status).toBe(200)
  })

  test('that is the end of the wait just before the first byte is an ordinary problem', async () => {
    const w = await worldOf(1)
    async function* late() {
      w.clock.advance(28_000)
      yield linked(2)
    }
    w.deps.removeProvider = async () => ({ total: 2, pages: late() })
    const { status, json } = await w.remove(7)
    expect([status, json().code]).toEqual([503, 'wait_expired'])
  })

  test('after the first byte leaves incomplete JSON and is logged, and a repeat gets the whole list', async () => {
    const w = await worldOf(201)
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' })
    const busy = readsFrom(3, () => Promise.reject(throttled))
    const stream = fakeResponseStream()
    const answered = withPlan(busy, () => w.remove(7, { stream }))
    await expect(answered).rejects.toMatchObject({ code: 'table_busy' })
    expect([stream.head()?.statusCode, stream.isEnded()]).toEqual([200, false])
    expect(String(stream.body())).toMatch(/^\{"data":\{"affected_user":\[\{"id":/)
    expect(() => JSON.parse(String(stream.body()))).toThrow()
    expect(w.logged.filter(({ request_id }) => request_id !== undefined).slice(-3)).toMatchObject([
      { event: 'table_busy', reason: 'slow down' },
      { event: 'answer_cut', code: 'table_busy', reason: 'slow down' },
      { event: 'request_answered', status: 200, code: 'table_busy' },
    ])
    expect(w.clock.scheduled()).toBe(0)
    expect((await w.remove(7)).users()).toHaveLength(201)
  })

  test('because the client reads too slowly cuts the answer before the function times out', async () => {
    const w = await worldOf(201)
    const stream = fakeResponseStream(async () => {
      w.clock.advance(58_500) // The clock passes the last half second by itself.
      return new Promise(() => {})
    })
    const answered = w.remove(7, { stream, remainingMs: 60_000 })
    await assertCutInTime(w, answered, 'answer_too_large')
  })

  test('because the table does not answer is table_busy, and cuts the answer at the same moment', async () => {
    const w = await worldOf(201)
    const stream = fakeResponseStream(() => w.clock.advance(29_250)) // Two pages; the clock passes the rest by itself.
    const answered = withPlan(hangingReads(w, 3), () => w.remove(7, { stream, remainingMs: 60_000 }))
    await assertCutInTime(w, answered, 'table_busy')
  })
})

/** The answer is cut when the function's time is over, with this code, and leaves no timer. */
async function assertCutInTime(w: World, answered: Promise<unknown>, code: string) {
  await expect(answered).rejects.toMatchObject({ code })
  const cut = { event: 'answer_cut', code, reason: 'not sent within 60000 ms' }
  expect(w.logged).toContainEqual(expect.objectContaining(cut))
  expect(w.clock.scheduled()).toBe(0)
}

describe('a streamed answer that is likely to exceed 200 MB', () => {
  const pageBytes = JSON.stringify(linked(100)).length - 2

  test.each([
    [190_000_000, 200],
    [190_000_000 + pageBytes, 413],
  ])('is refused before its first byte: about %i bytes get %i', async (bytes, expected) => {
    const w = await worldOf(1)
    let isEnded = false
    pretendTotal(w, Math.floor((bytes / pageBytes) * 100), () => {
      isEnded = true
    })
    const { status, json } = await w.remove(7)
    expect([status, isEnded]).toEqual([expected, true])
    if (status === 413) expect(json().code).toBe('answer_too_large')
  })

  test('is measured after compression', async () => {
    const w = await worldOf(1)
    pretendTotal(w, 1_000_000)
    expect((await w.remove(7)).status).toBe(413)
    const { status, text } = await w.remove(7, accept('br'))
    expect(status).toBe(200)
    expect(JSON.parse(String(brotliDecompressSync(text as Buffer))).data.affected_user).toHaveLength(100)
  })
})
