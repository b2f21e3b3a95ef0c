import { randomUUID } from 'node:crypto'
import { transactor } from '../../../infra/data/table/transact.ts'
import { isLinked } from '../../../lib/domain/provider.ts'
import { userOf } from '../../../lib/store/items.ts'
import { memberIdOf } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import { openTable } from '../../../lib/store/table.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { scenario as dataScenario, itemsOf, never } from '../scenario.ts'
import { writers } from './writers.ts'

/** Provider 7 of SSO provider 70, provider 8 without an SSO provider, and users 1, 2, 3 with these links. */
export async function scenario(users: Links[]) {
  const w = await dataScenario()
  const people = users.map((links, n) => sampleUser(n + 1, links))
  await w.put(...itemsOf([sampleProvider(7, 70), sampleProvider(8)], people))

  const table = openTable(w.client, w.tableName, w.clock)
  const transact = transactor(w.client, w.tableName, w.clock, randomUUID)
  const { link, move, unlink, erase } = writers({ table, transact, clock: w.clock })
  return {
    ...w,
    table,
    link: (n: number, links: Links) => w.clock.moving(link(userId(n), links)),
    move: (n: number, links: Links) => w.clock.moving(move(userId(n), links)),
    unlink: (n: number, providerId: number) => w.clock.moving(unlink(userId(n), providerId)),
    erase: (n: number) => w.clock.moving(erase(userId(n))),
    begin: (providerId: number) =>
      removalStore(table).begin(providerId, { id: 'r', startedAtMs: 0, retainedUntil: 4e9 }, 'test', never),
    /** State, count, memberships and linked users of each provider. */
    async members() {
      const items = await w.items()
      const stored = items.filter(({ SK }) => SK === 'USER').map(userOf)
      return (await allProviders(table, never)).map(({ resource, state, memberCount }) => ({
        ...{ id: resource.id, state, memberCount },
        memberships: items.filter(({ PK }) => PK === `SAML_PROVIDER#${resource.id}`).map(memberIdOf),
        linked: stored.filter(user => isLinked(user, resource)).map(({ id }) => id),
      }))
    },
  }
}

/** The error of a transaction that is cancelled for these reasons. */
export const cancelled = (...codes: string[]) =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map(Code => ({ Code })),
  })

/** A change by a writer: a user, and the links or the provider; or a provider whose removal begins. */
export type Action =
  | ['link' | 'move', number, Links]
  | ['unlink', number, number]
  | ['erase', number]
  | ['begin', number]

export const act = (s: Awaited<ReturnType<typeof scenario>>, [name, ...args]: Action): Promise<unknown> =>
  (s[name] as (...args: unknown[]) => Promise<unknown>)(...args)
