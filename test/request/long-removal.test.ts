import { describe, expect, test } from 'vitest'
import { membershipItem, userItem } from '../../infra/data/table/items.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { fakeResponseStream } from '../support/fake-response-stream.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { sampleUser, userId } from '../support/samples.ts'
import { worldOf } from './scenario.ts'

type Happens = (page: number) => unknown

/** A world with members of provider 7, of whom a page of a Query has two. */
async function paged(users = 5) {
  const w = await worldOf(users)
  let calls: string[] = []
  /** Sends a DELETE. @param afterPage called with the number of each page that was read */
  async function remove(afterPage: Happens = () => {}, stream = fakeResponseStream()) {
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
  const expire: (page: number) => Happens = page => read => read === page && w.clock.advance(28_000)
  const deleteMembership = (n: number) => w.drop(membershipKey(7, userId(n)))
  return { ...w, remove, expire, deleteMembership, calls: () => calls }
}

const all = [0, 1, 2, 3, 4].map(userId)
const unlinking = ['BatchGetItem', 'TransactWriteItems']

describe('a removal of more than one page', () => {
  test('marks each page before it reads the next one', async () => {
    const w = await paged()
    expect((await w.remove()).ids()).toEqual(all)
    const removing = [
      ...['GetItem', 'UpdateItem', 'Query after nothing', ...unlinking],
      ...['Query after 1', ...unlinking, 'Query after 3', ...unlinking],
      'UpdateItem',
    ]
    expect(w.calls().slice(0, removing.length)).toEqual(removing)
    // The users of a page and the members of the next one are read at the same time.
    const pages = ['nothing', '1', '3'].flatMap(after => [`Query after ${after}`, 'BatchGetItem'])
    expect(w.calls().slice(removing.length).sort()).toEqual(pages.sort())
    expect(await w.provider()).toMatchObject({ state: 'removed', affected_total: 5 })
    expect((await w.remove()).ids()).toEqual(all)
  })

  test('that was interrupted begins at the first page', async () => {
    const w = await paged()
    const first = (await w.remove(w.expire(2))).json()
    expect([first.code, first.affected_total, first.unlinked]).toEqual(['removal_unfinished', 5, 2])
    w.clock.advance(60_000)
    const second = (await w.remove(w.expire(3))).json()
    expect([second.code, second.affected_total, second.unlinked]).toEqual(['removal_unfinished', 5, 4])
    expect(w.calls()).toEqual([
      ...['GetItem', 'Query after nothing', 'Query after 1', ...unlinking, 'Query after 3'],
    ])
    expect((await w.remove()).ids()).toEqual(all)
  })

  test('does not touch a user who was linked after another DELETE had finished it', async () => {
    const w = await paged()
    const stranger = [userItem(sampleUser(9, { saml: 7 })), membershipItem(7, userId(9))]
    const other = async () => {
      await w.remove()
      await w.put(...stranger)
    }
    const answer = await w.remove(page => page === 2 && other())
    expect(answer.ids()).toEqual(all)
    for (const item of stranger) expect(await w.items()).toContainEqual(item)
  })
})

describe('the answer of a removed provider with more than one page', () => {
  test('is cut when TTL deletes a part while it is sent', async () => {
    const w = await paged(15)
    await w.remove()
    const stream = fakeResponseStream(() => w.deleteMembership(14))
    const answered = w.remove(() => {}, stream)
    await expect(answered).rejects.toMatchObject({ code: 'provider_not_found' })
    expect([stream.head()?.statusCode, stream.isEnded()]).toEqual([200, false])
  })

  test('leaves out a user who is linked while it is sent', async () => {
    const w = await paged()
    await w.remove()
    const stranger = membershipItem(7, userId(9))
    expect((await w.remove(page => page === 4 && w.put(stranger))).ids()).toEqual(all)
  })
})
