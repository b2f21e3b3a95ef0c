import { isDeepStrictEqual } from 'node:util'
import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { providerKey, userIdOf } from '../../../lib/store/keys.ts'
import { replacement } from '../conditions.ts'
import type { Refusal } from '../membership/api.ts'
import { changeUser, linkNames, refusalOf } from '../membership/change.ts'
import type { CheckedRecord, ProviderEntry } from './checked-record.ts'
import { difference } from './difference.ts'
import { type Outcome, refused, there } from './report.ts'
import type { Terms } from './terms.ts'

const triesMax = 20

/** The outcome of a record of a user who is in the table; an update is made first. */
export async function settle(terms: Terms, record: CheckedRecord, stored: Item): Promise<Outcome> {
  // Most of those that are there are the same; this comparison is cheaper.
  if (isDeepStrictEqual(stored, record.item)) return there
  const fields = Object.keys(difference(userShape, stored, record.item, record.leftOut))
  if (fields.length === 0) return there
  if (!terms.update) return { is: 'differs', fields }
  return terms.isTrial ? { is: 'updated', fields } : await updateUser(terms, record)
}

/**
 * Gives a user the values of a record, and the memberships and counts of its links, in one transaction. What the record does
 * not mention, and what others keep in the item, stays.
 */
async function updateUser(terms: Terms, { item, leftOut = [] }: CheckedRecord): Promise<Outcome> {
  const { data, targets, signal } = terms
  let fields: string[] = []
  const decide = (user: Item, providers: readonly ProviderRecord[]) => {
    const values = difference(userShape, user, item, leftOut)
    fields = Object.keys(values)
    if (fields.length === 0) return 'there'
    const links = linksOf({ ...user, ...values })
    if (!linkNames.some(name => name in values)) return { to: { links, values } }
    // A change of a link sets the time: the record's, if it has one.
    const updated_at = leftOut.includes('updated_at') ? new Date(data.clock.nowMs()).toISOString() : undefined
    const timed = updated_at === undefined ? values : { ...values, updated_at }
    return refusalOf(links, [...providers, ...targets.made]) ?? { to: { links, values: timed } }
  }
  const calls = { ...data, coming: targets.fresh }
  const outcome = await changeUser<'there' | 'updated' | Refusal>(
    calls,
    userIdOf(item),
    'updated',
    signal,
    decide,
  )
  if (outcome === 'there') return there
  if (outcome === 'updated') return { is: 'updated', fields }
  return refused(`the user cannot be updated: ${outcome.replaceAll('_', ' ')}`)
}

/** Gives an active provider the values of a record; its `sso_provider_id`, by which users are linked, cannot change. */
export async function updateProvider({ data, signal }: Terms, entry: ProviderEntry): Promise<Outcome> {
  const { provider, item, leftOut } = entry
  for (let tries = 1; tries <= triesMax; tries++) {
    const stored = await data.table.get(providerKey(provider.id), signal)
    if (stored?.state !== 'active')
      return refused(`the provider ${provider.id} is being removed or was removed`)
    const values = difference(samlProviderShape, stored, item, leftOut)
    const fields = Object.keys(values)
    if (fields.length === 0) return there
    if (await data.transact([replacement(stored, values, 'state', 'sso_provider_id')], signal))
      return { is: 'updated', fields }
  }
  return refused(`other writers changed the provider ${provider.id} meanwhile: import again`)
}
