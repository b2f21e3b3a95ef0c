import { eraseUser } from '../../infra/data/erase.ts'
import type { Data } from '../../infra/data/open-data.ts'
import { ifUnchanged, countBy, putNew } from '../../infra/data/table/actions.ts'
import { membershipItem } from '../../infra/data/table/encoding.ts'
import type { Action } from '../../lib/store/transact.ts'
import { isLinked, isListed } from '../../lib/domain/provider.ts'
import { type Item, linksOf } from '../../lib/store/items.ts'
import { userKey } from '../../lib/store/keys.ts'
import { allProviders } from '../../lib/store/providers.ts'
import type { Links } from './samples.ts'

const never = new AbortController().signal

/** As often as a writer meets others before it gives up. */
const attemptsMax = 20

/** Other writers of the table, which keep the rules of infra/data/writers/README.md. */
export function writers({ table, tryWrite, clock }: Pick<Data, 'table' | 'tryWrite' | 'clock'>) {
  /** The actions that give a user these links; undefined when a provider that they name cannot be used. */
  async function actionsOf(user: Item, to: Item): Promise<Action[] | undefined> {
    const providers = await allProviders(table, never)
    const linkedBy = (item: Item) => providers.filter(({ resource }) => isLinked(linksOf(item), resource))
    const [before, after] = [linkedBy(user).filter(isListed), linkedBy(to)]
    if (!after.every(isListed) || (to.saml_provider_id !== undefined && after.length === 0)) return undefined
    const leaving = before.filter(provider => !after.includes(provider))
    const joining = after.filter(provider => !before.includes(provider))
    return [
      relink(user, { ...to, updated_at: new Date(clock.nowMs()).toISOString() }),
      ...leaving.flatMap(({ resource: { id } }) => [
        countBy(id, -1),
        { Delete: ifUnchanged(membershipItem(id, String(user.id)), []) },
      ]),
      ...joining.flatMap(({ resource: { id } }) => [
        countBy(id, 1),
        putNew(membershipItem(id, String(user.id))),
      ]),
    ]
  }

  return {
    /** Gives a user these links, and no others. */
    async move(userId: string, { saml, sso }: Links): Promise<void> {
      const to = { saml_provider_id: saml, sso_provider_id: sso }
      for (let attempts = 0; attempts < attemptsMax; attempts++) {
        const user = await table.get(userKey(userId), never)
        const actions = user && (await actionsOf(user, to))
        if (actions === undefined || (await tryWrite(actions, never))) return
      }
    },
    async erase(userId: string): Promise<void> {
      for (let attempts = 0; attempts < attemptsMax; attempts++)
        if ((await eraseUser({ table, tryWrite }, userId, never)) !== 'changed') return
    },
  }
}

const names = ['saml_provider_id', 'sso_provider_id']

/** Gives a user new links on the condition that the old ones are as they were read. */
function relink(user: Item, to: Item): Action {
  const set = Object.keys(to).filter(name => to[name] !== undefined)
  const removed = names.filter(name => to[name] === undefined)
  const update = [`SET ${set.map(name => `${name} = :${name}`).join(', ')}`]
  if (removed.length > 0) update.push(`REMOVE ${removed.join(', ')}`)
  const values = Object.fromEntries(set.map(name => [`:${name}`, to[name]]))
  return { Update: { ...ifUnchanged(user, names, values), UpdateExpression: update.join(' ') } }
}
