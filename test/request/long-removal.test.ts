import { expect, test } from 'vitest'
import { membershipItem } from '../../infra/data/table/encoding.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { fakeResponseStream } from '../support/fake-response-stream.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { userId } from '../support/samples.ts'
import { worldOf } from './scenario.ts'

/** A world with members of provider 7, of whom a page of a Query has two. */
async function paged(users = 5) {
  const w = await worldOf(users)
  let calls: string[] = []
  /** Sends a DELETE. @param afterPage called with the number of each page that was read */
  async function remove(afterPage: (page: number) => unknown = () => {}, stream = fakeResponseStream()) {
    calls = []
    let pages = 0
    const plan: Plan = async ({ operation, body, send }) => {
      const isOfMembers = operation === 'Query'
      const { S: after = '' } = (body.ExclusiveStartKey as { SK?: { S?: string } } | undefined)?.SK ?? {}
      calls.push(
        isOfMembers ? `Query after ${after === '' ? 'nothing' : Number(after.slice(-4))}` : operation,
      )
      if (!isOfMembers) return send()
      const reply = await send({ ...body, Limit: 2 })
      await w.clock.thaw(() => withoutPlan(async () => afterPage(++pages)))
      return reply
    }
    return await withPlan(plan, () => w.remove(7, { stream }))
  }
  return { ...w, remove, calls: () => calls }
}

const all = [0, 1, 2, 3, 4].map(userId)

test('a removal marks each page of members before it reads the next one', async () => {
  const w = await paged()
  expect((await w.remove()).ids()).toEqual(all)
  const removing = [
    ...['GetItem', 'UpdateItem'],
    ...['nothing', '1', '3'].flatMap(after => [`Query after ${after}`, 'TransactWriteItems']),
    'UpdateItem',
  ]
  expect(w.calls().slice(0, removing.length)).toEqual(removing)
  // The users of a page and the members of the next one are read at the same time.
  const pages = ['nothing', '1', '3'].flatMap(after => [`Query after ${after}`, 'BatchGetItem'])
  expect(w.calls().slice(removing.length).sort()).toEqual(pages.sort())
  expect(await w.provider()).toMatchObject({ state: 'removed', affected_total: 5 })
  expect((await w.remove()).ids()).toEqual(all)
})

test('an answer is cut when TTL deletes a part of the list while it is sent', async () => {
  const w = await paged(15)
  await w.remove()
  const stream = fakeResponseStream(() => w.drop(membershipKey(7, userId(14))))
  const answered = w.remove(() => {}, stream)
  await expect(answered).rejects.toMatchObject({ code: 'provider_not_found' })
  expect([stream.head()?.statusCode, stream.isEnded()]).toEqual([200, false])
})

test('an answer leaves out a user who is linked while it is sent', async () => {
  const w = await paged()
  await w.remove()
  const stranger = membershipItem(7, userId(9))
  expect((await w.remove(page => page === 4 && w.put(stranger))).ids()).toEqual(all)
})
