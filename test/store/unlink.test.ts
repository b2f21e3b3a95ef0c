import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import type { User } from '../../lib/domain/resources.ts'
import type { Unlinked } from '../../lib/removal/ports.ts'
import type { Item } from '../../lib/store/items.ts'
import { membershipKey, membershipsOf } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { cancelled, transactions } from '../support/refusals.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal
const end = 2e9

const nameOf = (error: unknown) =>
  error instanceof Failure ? error.code : (error as Error | undefined)?.name

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
      const unlinking = () => w.clock.moving(store.unlink(provider, userIds, never))
      const { unlinked, reason }: Unlinked = await withPlan(counting, unlinking).then(
        done => done ?? expect.unreachable(),
        error => ({ unlinked: 0, reason: error, fewerMayPass: false }),
      )
      return { unlinked, error: nameOf(reason), sizes }
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

/** Does something else before the first transaction. */
function beforeTheFirst(act: () => Promise<unknown>): Plan {
  let sent = 0
  return transactions(async () => {
    if (sent++ === 0) await withoutPlan(act)
    return undefined
  })
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

test('members whom another attempt unlinks before the transaction are left out, and counted by the next', async () => {
  const { unlink } = await removing([sampleUser(1), sampleUser(2)])
  const rival = beforeTheFirst(() => unlink())
  expect(await unlink(rival)).toEqual({ unlinked: 0, error: 'table_busy', sizes: [2] })
  expect(await unlink()).toEqual({ unlinked: 2, sizes: [] })
})

test('a membership that is deleted before the transaction is not made again', async () => {
  const { w, ids, unlink } = await inAllWays()
  const deleting = beforeTheFirst(() => w.drop(membershipKey(7, ids[0] ?? '')))
  expect(await unlink(deleting)).toMatchObject({ unlinked: ways.length - 1 })
  expect((await w.items()).filter(({ PK }) => PK === membershipsOf(7).PK)).toHaveLength(ways.length - 1)
})

test('users are changed at the moment of the unlinking', async () => {
  const { w, unlink, userItems } = await removingOf(1)
  w.clock.advance(3_600_000)
  await unlink()
  const updated_at = new Date(w.clock.nowMs()).toISOString()
  expect(await userItems()).toMatchObject([{ updated_at }])
})

test('a member who moves before the transaction is left out, and keeps the new link', async () => {
  const { ids, unlink, linked, marked, change, userItems } = await removingOf(3)
  const moving = beforeTheFirst(() => change(ids[1], { saml_provider_id: 8 }))
  expect(await unlink(moving)).toEqual({ unlinked: 2, error: 'table_busy', sizes: [3, 2] })
  expect(await unlink()).toEqual({ unlinked: 3, sizes: [1] })
  expect([await linked(), (await marked()).length]).toEqual([[], 3])
  expect((await userItems()).map(({ saml_provider_id: saml }) => saml)).toEqual([undefined, 8, undefined])
})

test.each(['TransactionConflict', 'ThrottlingError'])(
  'members are tried together while their provider is refused: %s',
  async code => {
    const { w, unlink } = await removingOf(49)
    let left = 19
    const busy = transactions(async () => (left-- > 0 ? cancelled(code, code) : undefined))
    expect(await unlink(busy)).toEqual({ unlinked: 49, sizes: Array(20).fill(49) })
    expect(w.clock.elapsedMs()).toBeGreaterThan(1000)
  },
)

test('members are read again while their provider is refused', async () => {
  const { unlink, ids } = await removingOf(3)
  const rival = async () => void (await unlink(undefined, ids.slice(0, 1)))
  let left = 1
  const busy = transactions(async () => {
    if (left-- === 0) return undefined
    await withoutPlan(rival)
    return cancelled('TransactionConflict')
  })
  expect(await unlink(busy)).toEqual({ unlinked: 3, sizes: [3, 2] })
})
