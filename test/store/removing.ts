import { expect } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import type { User } from '../../lib/domain/resources.ts'
import type { Unlinked } from '../../lib/removal/ports.ts'
import type { Item } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { transactions } from '../support/refusals.ts'
import { type Links, sampleProvider, sampleUser } from '../support/samples.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal
export const end = 2e9

const nameOf = (error: unknown) =>
  error instanceof Failure ? error.code : (error as Error | undefined)?.name

/** A provider in removal with these members. */
export async function removing(users: User[], resource = sampleProvider(7, 70)) {
  const w = await world()
  await w.putProvider(resource, users)
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
      const unlinking = () => w.clock.moving(store.unlinker(provider)(userIds, never))
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
export const ways: [before: Links, after: Links][] = [
  [{ saml: 7, sso: 70 }, {}],
  [{ saml: 7 }, {}],
  [{ sso: 70 }, {}],
  [{ saml: 7, sso: 80 }, { sso: 80 }],
  [{ saml: 8, sso: 70 }, { saml: 8 }],
  [{ saml: 8 }, { saml: 8 }],
  [{}, {}],
]
export const inAllWays = () => removing(ways.map(([before], n) => sampleUser(n, before)))
export const removingOf = (count: number) =>
  removing(Array.from({ length: count }, (_, n) => sampleUser(n, { saml: 7 })))

/** Does something else before the first transaction. */
export function beforeTheFirst(act: () => Promise<unknown>): Plan {
  let sent = 0
  return transactions(async () => {
    if (sent++ === 0) await withoutPlan(act)
    return undefined
  })
}
