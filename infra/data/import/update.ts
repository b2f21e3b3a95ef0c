import { isDeepStrictEqual } from 'node:util'
import { userShape } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { linkedProviders } from '../linked-providers.ts'
import { changeUser, linkNames } from '../membership/change.ts'
import { difference } from './difference.ts'
import { type Outcome, refused, there, written } from './report.ts'
import type { CheckedRecord } from './spool.ts'
import { faultOfLinks, type Terms } from './terms.ts'

/**
 * The outcome of a record of a user who is in the table; an update is made first.
 *
 * @param wasThere false when the user was stored meanwhile, perhaps by this import, in a call whose reply was lost
 */
export async function settle(
  terms: Terms,
  record: CheckedRecord,
  stored: Item,
  wasThere: boolean,
): Promise<Outcome> {
  // Most of those that are there are the same; this comparison is cheaper.
  if (isDeepStrictEqual(stored, record.item)) return wasThere ? there : written
  const fields = Object.keys(difference(userShape, stored, record.item, record.leftOut))
  if (fields.length === 0) return there
  if (!terms.update) return { is: 'differs', fields }
  return terms.isTrial ? { is: 'updated', fields } : await updateUser(terms, record)
}

/**
 * Gives a user the values of a record, and the memberships and counts of its links, in one transaction. What the record does
 * not mention, and what others keep in the item, stays.
 */
async function updateUser(
  { data, fresh, signal }: Terms,
  { item, leftOut }: CheckedRecord,
): Promise<Outcome> {
  let fields: string[] = []
  let fault: string | undefined
  const calls = { ...data, coming: fresh.map(({ resource }) => resource) }
  const outcome = await changeUser<string>(calls, userIdOf(item), 'updated', signal, (user, providers) => {
    const values = difference(userShape, user, item, leftOut)
    fields = Object.keys(values)
    if (fields.length === 0) return 'there'
    const links = linksOf({ ...user, ...values })
    if (!linkNames.some(name => name in values)) return { to: { links, values } }
    fault = faultOfLinks(links, linkedProviders([...fresh, ...providers])(links))
    if (fault !== undefined) return 'refused'
    // A change of a link sets the time: the record's, if it has one.
    const updated_at = leftOut.includes('updated_at') ? new Date(data.clock.nowMs()).toISOString() : undefined
    return { to: { links, values: updated_at === undefined ? values : { ...values, updated_at } } }
  })
  if (outcome === 'there') return there
  if (outcome === 'updated') return { is: 'updated', fields }
  return refused(fault ?? `the user cannot be updated: ${outcome.replaceAll('_', ' ')}`)
}
