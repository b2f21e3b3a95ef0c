import { describe, expect, test } from 'vitest'
import type { User } from '../../lib/domain/resources.ts'
import type { Item } from '../../lib/store/items.ts'
import { members, membershipKey } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, type Reply, replyOf, withoutPlan, withPlan } from '../support/test-client.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal
const end = 2e9

/** A provider in removal with these members. */
async function removing(users: User[]) {
  const w = await world()
  await w.putProvider(sampleProvider(7, 70), users)
  const store = removalStore(openTable(w.client, w.tableName, w.clock))
  const removal = { id: 'removal', startedAtMs: w.clock.nowMs(), retainedUntil: end }
  const provider = (await store.begin(7, removal, 'me', never)) ?? expect.unreachable()
  const ids = users.map(({ id }) => id)
  const userItems = async () => (await w.items()).filter(({ SK }) => SK === 'USER')
  return {
    w,
    ids,
    userItems,
    /** @returns the result, and how many members each transaction had */
    async unlink(plan: Plan = ({ send }) => send(), userIds = ids) {
      const sizes: number[] = []
      const counting: Plan = call => {
        const { TransactItems = [] } = call.body as { TransactItems?: object[] }
        if (TransactItems.length > 0) sizes.push((TransactItems.length - 1) / 2)
        return plan(call)
      }
      const result = await withPlan(counting, () =>
        w.clock.moving(store.unlink(provider, userIds, w.clock.nowMs(), never)),
      ).catch(({ code, name }) => code ?? name)
      return { result, sizes }
    },
    linked: async () =>
      (await userItems()).filter(
        ({ saml_provider_id: saml, sso_provider_id: sso }) => saml === 7 || sso === 70,
      ),
    marked: async () => (await w.items()).filter(({ expires_at }) => expires_at === end),
    /** Changes a user as another writer does. */
    change: (id: string | undefined, links: Item) =>
      withoutPlan(async () => {
        const [user] = (await userItems()).filter(item => item.id === id)
        await w.put({ ...user, ...links })
      }),
  }
}

const ways: Links[] = [{ saml: 7, sso: 70 }, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 80 }, { saml: 8 }, {}]
const inAllWays = () => removing(ways.map((links, n) => sampleUser(n, links)))
const inOneTransaction = (more?: Item) =>
  removing(Array.from({ length: 49 }, (_, n) => ({ ...sampleUser(n, { saml: 7 }), ...more })))

/** Does something before each transaction, and may answer in its place. */
const transactions =
  (act: (userIds: string[]) => Promise<Reply | undefined>): Plan =>
  async ({ operation, body, send }) => {
    if (operation !== 'TransactWriteItems') return send()
    const members = JSON.stringify(body).matchAll(/"PK":\{"S":"USER#([^"]+)/g)
    return (await act([...members].map(([, id]) => String(id)))) ?? send()
  }

/** The reply to a transaction of which the action with this index is refused. */
const refusedAt = (Code: string, index: number) => {
  const CancellationReasons = Array.from({ length: 99 }, (_, n) => ({ Code: n === index ? Code : 'None' }))
  return replyOf({ __type: 'x#TransactionCanceledException', CancellationReasons }, 400)
}

describe('members are unlinked and marked', () => {
  test('with any links, in one transaction', async () => {
    const { unlink, linked, marked } = await inAllWays()
    const all = { unlinked: ways.length, newly: ways.length }
    expect(await unlink()).toEqual({ result: all, sizes: [ways.length] })
    expect([await linked(), (await marked()).length]).toEqual([[], ways.length])
    expect(await unlink()).toEqual({ result: { ...all, newly: 0 }, sizes: [] })
  })

  test('but for those who were no members', async () => {
    const { w, ids, unlink } = await inAllWays()
    const stored = await w.items()
    expect((await unlink(undefined, [userId(9)])).result).toEqual({ unlinked: 0, newly: 0 })
    expect(await w.items()).toEqual(stored)
    expect((await unlink(undefined, [...ids, userId(9)])).result).toMatchObject({ unlinked: ways.length })
  })
})

test('members whom another attempt unlinks before the transaction are not counted as new', async () => {
  const { unlink } = await removing([sampleUser(1), sampleUser(2)])
  let isFirst = true
  const rival = transactions(async () => {
    const wasFirst = isFirst
    isFirst = false
    if (wasFirst) await withoutPlan(() => unlink())
    return undefined
  })
  expect((await unlink(rival)).result).toEqual({ unlinked: 2, newly: 0 })
})

test('a membership that is deleted before the transaction is not made again', async () => {
  const { w, ids, unlink } = await inAllWays()
  let isFirst = true
  const deleting = transactions(async () => {
    if (isFirst) await withoutPlan(() => w.drop(membershipKey(7, ids[0] ?? '')))
    isFirst = false
    return undefined
  })
  expect((await unlink(deleting)).result).toMatchObject({ unlinked: ways.length - 1 })
  expect((await w.items()).filter(({ PK }) => PK === members(7).PK)).toHaveLength(ways.length - 1)
})

describe('members who are refused are tried in halves:', () => {
  const all = { unlinked: 49, newly: 49 }

  test('of more than 4 MB together', async () => {
    const { w, unlink, linked, userItems } = await inOneTransaction()
    for (const item of await userItems()) await w.put({ ...item, of_another_program: 'x'.repeat(100_000) })
    const { result, sizes } = await unlink()
    expect([result, await linked()]).toEqual([all, []])
    // DynamoDB Local does not count what is stored.
    if (process.env.DYNAMODB_ENDPOINT === undefined) expect(sizes).toEqual([49, 25, 24])
  })

  test('of whom one moves before each transaction', async () => {
    const { unlink, linked, marked, change, userItems } = await inOneTransaction()
    const moved = new Set<unknown>()
    const moving = transactions(async ([id]) => {
      await change(id, { saml_provider_id: 8 })
      moved.add(id)
      return undefined
    })
    expect((await unlink(moving)).result).toMatchObject({ unlinked: 49 })
    expect([await linked(), (await marked()).length]).toEqual([[], 49])
    expect((await userItems()).filter(({ saml_provider_id: saml }) => saml === 8)).toHaveLength(moved.size)
  })

  test.each<[string, string, number, () => Reply | undefined]>([
    ['changes before each transaction', 'table_busy', 8, () => undefined],
    ['meets others at each', 'table_busy', 64, () => refusedAt('TransactionConflict', 2)],
    ['cannot be written', 'TransactionCanceledException', 1, () => refusedAt('ValidationError', 2)],
  ])('of whom one %s, the other 48 are unlinked', async (_, error, tries, replyWith) => {
    const { ids, unlink, linked, marked, change } = await inOneTransaction()
    let n = 0
    const disturbing = transactions(async userIds => {
      const [one] = ids.slice(30)
      if (one === undefined || !userIds.includes(one)) return undefined
      const reply = replyWith()
      if (reply === undefined) await change(one, { saml_provider_id: ++n % 2 === 1 ? 8 : 7 })
      return reply
    })
    const { result, sizes } = await unlink(disturbing)
    expect([result, sizes.filter(size => size === 1).length]).toEqual([error, tries])
    const others = ids.filter(id => id !== ids[30])
    expect((await marked()).map(({ SK }) => SK)).toEqual(others.map(id => `USER#${id}`))
    expect((await linked()).filter(({ id }) => id !== ids[30])).toEqual([])
  })

  test('but not when the provider is in conflict', async () => {
    const { unlink } = await inOneTransaction()
    let left = 20
    const busy = transactions(async () => (left-- > 0 ? refusedAt('TransactionConflict', 0) : undefined))
    expect(await unlink(busy)).toEqual({ result: all, sizes: Array(21).fill(49) })
  })
})
