import { describe, expect, test } from 'vitest'
import { fakeResponseStream } from '../support/fake-response-stream.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import { sampleUser } from '../support/samples.ts'
import { accept, worldOf } from './scenario.ts'

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
    expect((await answered).json().data.affected_user).toHaveLength(50)
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
