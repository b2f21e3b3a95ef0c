import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import type { User } from '../../lib/domain/resources.ts'
import { abortable } from '../../lib/time.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { fakeResponseStream } from '../support/fake-response-stream.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import type { World } from '../support/world.ts'
import { accept, linked, worldOf } from './scenario.ts'

const codings = ['identity', 'br', 'gzip']

function decoded({ 'Content-Encoding': coding }: Record<string, string>, text: string | Buffer): string {
  if (coding === undefined) return String(text)
  return String(coding === 'br' ? brotliDecompressSync(text) : gunzipSync(text))
}

const never = new Promise<never>(() => {})

/** Makes the removal return these pages of so many affected users. */
function answerWith({ deps }: World, pages: (signal: AbortSignal) => AsyncIterable<User[]>, total = 2) {
  deps.removeProvider = async (_, { signal }) => ({ total, pages: pages(signal) })
}

test('a streamed answer equals the buffered one in each coding', async () => {
  const answersOf = async (mode: string) => {
    const w = await worldOf(3, { RESPONSE_TRANSFER_MODE: mode })
    await w.putProvider(sampleProvider(8))
    await w.remove(7)
    const answers = []
    for (const request of codings.map(accept))
      answers.push(await w.list(request), await w.remove(7, request), await w.remove(9, request))
    return answers.map(({ status, headers, text }) => ({ status, headers, text: decoded(headers, text) }))
  }
  const streamed = await answersOf('STREAM')
  expect(streamed).toEqual(await answersOf('BUFFERED'))
  const [list, removal, problem] = streamed.map(({ text }) => text)
  expect(streamed.map(({ status, headers, text }) => [status, headers['Content-Encoding'], text])).toEqual(
    [undefined, 'br', 'gzip'].flatMap(coding => [
      [200, coding, list],
      [200, coding, removal],
      [404, undefined, problem],
    ]),
  )
})

test('a streamed answer begins before all users are read', async () => {
  const w = await worldOf(500)
  const first = await w.remove(7)
  let reads = 0
  const counting: Plan = ({ operation, send }) => {
    if (operation === 'BatchGetItem') reads++
    return send()
  }
  const readsWhenSent: number[] = []
  const stream = fakeResponseStream(() => readsWhenSent.push(reads))
  const result = await withPlan(counting, () => w.remove(7, { stream }))
  expect(result.text).toBe(first.text)
  expect(readsWhenSent[0]).toBeLessThan(5)
  expect([readsWhenSent.length, reads]).toEqual([6, 5])
})

test('a streamed answer reads no further pages while the client reads nothing', async () => {
  const w = await worldOf(1)
  let pages = 0
  async function* counted() {
    for (; pages < 50; pages++) yield [sampleUser(pages)]
  }
  answerWith(w, counted)
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

test.each(codings)('a streamed answer in %s may end after its wait', async coding => {
  const w = await worldOf(1)
  const begun = Promise.withResolvers<void>()
  answerWith(w, async function* () {
    yield [sampleUser(1)]
    await begun.promise
    w.clock.advance(28_000)
    yield [sampleUser(2)]
  })
  const stream = fakeResponseStream(() => begun.resolve())
  expect((await w.remove(7, { ...accept(coding), stream })).status).toBe(200)
})

test('a failure before the first byte of a streamed answer is an ordinary problem', async () => {
  const w = await worldOf(1)
  answerWith(w, async function* () {
    w.clock.advance(28_000)
    yield linked(2)
  })
  const { status, json } = await w.remove(7)
  expect([status, json().code]).toEqual([503, 'wait_expired'])
})

test.each(codings)(
  'a failure after the first byte of a streamed answer in %s leaves an incomplete body',
  async coding => {
    const w = await worldOf(1)
    const begun = Promise.withResolvers<void>()
    answerWith(w, async function* () {
      yield linked(2)
      await begun.promise
      throw new Failure('table_busy', {}, new Error('slow down'))
    })
    const stream = fakeResponseStream(() => begun.resolve())
    const answered = w.remove(7, { ...accept(coding), stream })
    await expect(answered).rejects.toMatchObject({ code: 'table_busy' })
    expect([stream.head()?.statusCode, stream.isEnded()]).toEqual([200, false])
    if (coding === 'identity') {
      expect(String(stream.body())).toMatch(/^\{"data":\{"affected_user":\[\{"id":/)
      expect(() => JSON.parse(String(stream.body()))).toThrow()
    }
    expect(w.logged).toMatchObject([
      { event: 'table_busy', reason: 'slow down' },
      { event: 'answer_cut', code: 'table_busy', reason: 'slow down' },
      { event: 'request_answered', status: 200, code: 'table_busy' },
    ])
    expect(w.clock.scheduled()).toBe(0)
  },
)

test.each(codings)('a client that goes away ends the reading of a list in %s', async coding => {
  const w = await worldOf(1)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  answerWith(w, async function* () {
    try {
      for (;;) yield linked(100)
    } finally {
      end()
    }
  })
  const stream = fakeResponseStream(() => Promise.reject(new Error('gone')))
  await expect(w.remove(7, { ...accept(coding), stream })).rejects.toThrow('gone')
  await ended
  expect(w.loggedAs('answer_cut')).toEqual([expect.objectContaining({ reason: 'gone' })])
})

test.each([
  ['the client reads too slowly', 'answer_too_large', () => never],
  ['the table does not answer', 'table_busy', () => {}],
])('a streamed answer that stops because %s is %s before the function times out', async (_, code, taken) => {
  const w = await worldOf(1)
  answerWith(w, async function* (signal) {
    yield linked(1)
    yield await w.clock.thaw(() => abortable(never, signal))
  })
  const stream = fakeResponseStream(() => {
    w.clock.advance(58_500) // The clock passes the last half second by itself.
    return taken()
  })
  await expect(w.remove(7, { stream, remainingMs: 60_000 })).rejects.toMatchObject({ code })
  const cut = { event: 'answer_cut', code, reason: 'not sent within 60000 ms' }
  expect(w.logged).toContainEqual(expect.objectContaining(cut))
  expect(w.clock.scheduled()).toBe(0)
})
// All pages are taken to be as long as the first.
async function* twoPages() {
  yield* [linked(100), linked(200)]
}

const pageBytes = JSON.stringify(linked(100)).length - 2

test.each([
  [190_000_000, 200],
  [190_000_000 + pageBytes, 413],
])('a streamed answer of about %i bytes gets %i before its first byte', async (bytes, expected) => {
  const w = await worldOf(1)
  answerWith(w, twoPages, Math.floor((bytes / pageBytes) * 100))
  const { status, json } = await w.remove(7)
  expect(status).toBe(expected)
  if (status === 413) expect(json().code).toBe('answer_too_large')
})

test('the size of a streamed answer is estimated after compression', async () => {
  const w = await worldOf(1)
  answerWith(w, twoPages, 1_000_000)
  expect((await w.remove(7)).status).toBe(413)
  const { status, headers, text } = await w.remove(7, accept('br'))
  expect([status, JSON.parse(decoded(headers, text)).data.affected_user.length]).toEqual([200, 300])
})
