import { expect, test } from 'vitest'
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
    /** @returns how many are unlinked, why not the others, and how many members each transaction had */
    async unlink(plan: Plan = ({ send }) => send(), userIds = ids) {
      const sizes: number[] = []
      const counting: Plan = call => {
        const { TransactItems = [] } = call.body as { TransactItems?: object[] }
        if (TransactItems.length > 0) sizes.push((TransactItems.length - 1) / 2)
        return plan(call)
      }
      let unlinked = 0
      const count = async () => {
        for await (const more of store.unlink(provider, userIds, w.clock, never)) unlinked += Number(more)
      }
      const error = await withPlan(counting, () => w.clock.moving(count())).catch(
        ({ code, name }) => code ?? name,
      )
      return { unlinked, error, sizes }
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

/** The links of a member before and after the removal. */
const ways: [before: Links, after: Links][] = [
  [{ saml: 7, sso: 70 }, {}],
  [{ saml: 7 }, {}],
  [{ sso: 70 }, {}],
  [{ saml: 7, sso: 80 }, { sso: 80 }],
  [{ saml: 8, sso: 70 }, { saml: 8 }],
  [{ saml: 8 }, { saml: 8 }],
  [{}, {}],
]
const inAllWays = () => removing(ways.map(([before], n) => sampleUser(n, before)))
const removingOf = (count: number) =>
  removing(Array.from({ length: count }, (_, n) => sampleUser(n, { saml: 7 })))

/** Does something before each transaction, and may answer in its place. */
const transactions =
  (act: (userIds: string[]) => Promise<Reply | undefined>): Plan =>
  async ({ operation, body, send }) => {
    if (operation !== 'TransactWriteItems') return send()
    const members = JSON.stringify(body).matchAll(/"PK":\{"S":"USER#([^"]+)/g)
    return (await act([...members].map(([, id]) => String(id)))) ?? send()
  }

/** Does something else before the first transaction. */
function beforeTheFirst(act: () => Promise<unknown>): Plan {
  let sent = 0
  return transactions(async () => {
    if (sent++ === 0) await withoutPlan(act)
    return undefined
  })
}

/** The reply to a transaction of which the action with this index is refused. */
const refusedAt = (Code: string, index: number) => {
  const CancellationReasons = Array.from({ length: 99 }, (_, n) => ({ Code: n === index ? Code : 'None' }))
  return replyOf({ __type: 'x#TransactionCanceledException', CancellationReasons }, 400)
}

test('members are unlinked and marked with any links, in one transaction', async () => {
  const { unlink, userItems, marked } = await inAllWays()
  expect(await unlink()).toEqual({ unlinked: ways.length, sizes: [ways.length] })
  const stored = (await userItems()).map(({ saml_provider_id: saml, sso_provider_id: sso }) => ({
    saml,
    sso,
  }))
  expect(stored).toEqual(ways.map(([, after]) => after))
  expect(await marked()).toHaveLength(ways.length)
  expect(await unlink()).toEqual({ unlinked: ways.length, sizes: [] })
})

test('nobody who is no member is unlinked and marked', async () => {
  const { w, ids, unlink } = await inAllWays()
  const stored = await w.items()
  expect(await unlink(undefined, [userId(9)])).toEqual({ unlinked: 0, sizes: [] })
  expect(await w.items()).toEqual(stored)
  expect(await unlink(undefined, [...ids, userId(9)])).toMatchObject({ unlinked: ways.length })
})

test('members whom another attempt unlinks before the transaction are counted once', async () => {
  const { unlink } = await removing([sampleUser(1), sampleUser(2)])
  expect(await unlink(beforeTheFirst(() => unlink()))).toEqual({ unlinked: 2, sizes: [2] })
})

test('a membership that is deleted before the transaction is not made again', async () => {
  const { w, ids, unlink } = await inAllWays()
  const deleting = beforeTheFirst(() => w.drop(membershipKey(7, ids[0] ?? '')))
  expect(await unlink(deleting)).toMatchObject({ unlinked: ways.length - 1 })
  expect((await w.items()).filter(({ PK }) => PK === members(7).PK)).toHaveLength(ways.length - 1)
})

test('members of more than 4 MB together are unlinked in halves', async () => {
  const { w, unlink, linked, userItems } = await removingOf(49)
  for (const item of await userItems()) await w.put({ ...item, of_another_program: 'x'.repeat(100_000) })
  const { unlinked, sizes } = await unlink()
  expect([unlinked, await linked()]).toEqual([49, []])
  // DynamoDB Local does not count what is stored.
  if (process.env.DYNAMODB_ENDPOINT === undefined) expect(sizes).toEqual([49, 49, 25, 24])
})

test('a member who moves before the transaction keeps the new link', async () => {
  const { ids, unlink, linked, marked, change, userItems } = await removingOf(3)
  const moving = beforeTheFirst(() => change(ids[1], { saml_provider_id: 8 }))
  expect(await unlink(moving)).toEqual({ unlinked: 3, sizes: [3, 3] })
  expect([await linked(), (await marked()).length]).toEqual([[], 3])
  expect((await userItems()).map(({ saml_provider_id: saml }) => saml)).toEqual([undefined, 8, undefined])
})

test('members are unlinked although two of three transactions are refused', async () => {
  const { unlink } = await removingOf(200)
  let n = 0
  const refusing = transactions(async () =>
    ++n % 3 > 0 ? refusedAt('ConditionalCheckFailed', 1) : undefined,
  )
  expect(await unlink(refusing)).toMatchObject({ unlinked: 200, error: undefined })
  expect(n).toBeGreaterThan(30)
})

test.each<[string, string, () => Reply | undefined]>([
  ['changes before each transaction', 'table_busy', () => undefined],
  ['meets others at each', 'table_busy', () => refusedAt('TransactionConflict', 2)],
  ['is always throttled', 'table_busy', () => refusedAt('ThrottlingError', 2)],
  ['cannot be written', 'TransactionCanceledException', () => refusedAt('ValidationError', 2)],
])('of 60 members of whom one %s, all others are unlinked', async (_, error, replyWith) => {
  const { w, ids, unlink, linked, marked, change } = await removingOf(60)
  const one = ids[30] ?? expect.unreachable()
  let n = 0
  const disturbing = transactions(async userIds => {
    if (!userIds.includes(one)) return undefined
    const reply = replyWith()
    if (reply === undefined) await change(one, { saml_provider_id: ++n % 2 === 1 ? 8 : 7 })
    return reply
  })
  expect(await unlink(disturbing)).toMatchObject({ unlinked: 59, error })
  const others = ids.filter(id => id !== one)
  expect((await marked()).map(({ SK }) => SK)).toEqual(others.map(id => `USER#${id}`))
  expect((await linked()).filter(({ id }) => id !== one)).toEqual([])
  expect(w.clock.elapsedMs()).toBeLessThan(20_000)
})

test('transactions become smaller while they are refused, and grow again', async () => {
  const { unlink } = await removingOf(28)
  let left = 6
  const tooLarge = transactions(async () => (left-- > 0 ? refusedAt('ValidationError', 1) : undefined))
  const sizes = [28, 28, 14, 7, 4, 2, 1, 2, 3, 4, 5, 6, 7]
  expect(await unlink(tooLarge)).toEqual({ unlinked: 28, sizes })
})

test.each(['TransactionConflict', 'ThrottlingError'])(
  'members are tried together while their provider is refused: %s',
  async code => {
    const { unlink } = await removingOf(49)
    let left = 19
    const busy = transactions(async () => (left-- > 0 ? refusedAt(code, 0) : undefined))
    expect(await unlink(busy)).toEqual({ unlinked: 49, sizes: Array(20).fill(49) })
  },
)

test('a provider that is always in conflict ends the attempt after seconds', async () => {
  const { w, unlink } = await removingOf(2)
  const busy = transactions(async () => refusedAt('TransactionConflict', 0))
  expect(await unlink(busy)).toEqual({ unlinked: 0, error: 'table_busy', sizes: Array(20).fill(2) })
  expect(w.clock.elapsedMs()).toBeGreaterThan(1000)
})
