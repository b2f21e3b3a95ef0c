import { randomUUID } from 'node:crypto'
import { isLinked, type ProviderState } from '../../../lib/domain/provider.ts'
import { linkUser, moveUser } from '../../../infra/data/membership/link.ts'
import { eraseUser, unlinkUser } from '../../../infra/data/membership/unlink.ts'
import { type Item, userItem, userOf } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import { openTable } from '../../../lib/store/table.ts'
import { transactor } from '../../../infra/data/transact.ts'
import { int32, type Links, sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

export const never = new AbortController().signal
export const laterAt = '2026-05-05T05:05:05.555Z'
const linksOf = ({ saml, sso }: Links) => ({
  saml_provider_id: int32(saml),
  sso_provider_id: int32(sso),
})

/** Provider 7 of SSO provider 70, provider 8 without an SSO provider, and users 1, 2, 3 with these links. */
export async function scenario(users: Links[]) {
  const w = await world()
  const providers = [sampleProvider(7, 70), sampleProvider(8)]
  const people = users.map((links, n) => sampleUser(n + 1, links))
  for (const provider of providers) {
    await w.putProvider(
      provider,
      people.filter(user => isLinked(user, provider)),
    )
  }
  await w.put(...people.filter(user => !providers.some(provider => isLinked(user, provider))).map(userItem))

  const table = openTable(w.client, w.tableName, w.clock)
  const calls = { table, transact: transactor(w.client, w.tableName, w.clock, randomUUID) }
  return {
    ...w,
    table,
    link: (n: number, links: Links) =>
      w.clock.moving(linkUser(calls, userId(n), linksOf(links), laterAt, never)),
    move: (n: number, links: Links) =>
      w.clock.moving(moveUser(calls, userId(n), linksOf(links), laterAt, never)),
    unlink: (n: number, providerId: number) =>
      w.clock.moving(unlinkUser(calls, userId(n), providerId, laterAt, never)),
    erase: (n: number) => w.clock.moving(eraseUser(calls, userId(n), never)),
    /** Sets the provider's state, with attributes of a removal. */
    async setState(providerId: number, state: ProviderState) {
      const found = await table.get(providerKey(providerId), never)
      await w.put({ ...found, state, removal_id: 'r', retained_until: 4_000_000_000 })
    },
    begin: (providerId: number) =>
      removalStore(table).begin(providerId, { id: 'r', startedAtMs: 0, retainedUntil: 4e9 }, 'test', never),
    /** State, count, memberships and linked users of each provider. */
    async members() {
      const items = await w.items()
      const stored = items.filter(({ SK }) => SK === 'USER').map(userOf)
      return (await allProviders(table, never)).map(({ resource, state, memberCount }) => ({
        id: resource.id,
        state,
        memberCount,
        memberships: items.filter(({ PK }) => PK === `SAML_PROVIDER#${resource.id}`).map(userIdOf),
        linked: stored.filter(user => isLinked(user, resource)).map(user => user.id),
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

type MembershipScenario = Awaited<ReturnType<typeof scenario>>

const userIdOf = ({ SK }: Item) => String(SK).replace('USER#', '')

/** A change by a writer: a user, and the links or the provider; or a provider whose removal begins. */
export type Action =
  | ['link' | 'move', number, Links]
  | ['unlink', number, number]
  | ['erase', number]
  | ['begin', number]

export async function act(s: MembershipScenario, action: Action): Promise<unknown> {
  if (action[0] === 'link' || action[0] === 'move') return s[action[0]](action[1], action[2])
  if (action[0] === 'unlink') return s.unlink(action[1], action[2])
  if (action[0] === 'erase') return s.erase(action[1])
  return s.begin(action[1])
}
