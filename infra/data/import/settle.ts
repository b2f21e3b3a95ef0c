import { isDeepStrictEqual } from 'node:util'
import { isLinked, isListed, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { userShape } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { linkedProviders } from '../linked-providers.ts'
import { type Decision, linkNames } from '../membership/change-users.ts'
import { difference } from './difference.ts'
import { type Moves, type Outcome, refused } from './report.ts'
import type { CheckedRecord } from './spool.ts'
import { faultOfChange, type Terms, usableLinks } from './terms.ts'

/** The providers that links can name: those in the table, and those that the import creates. */
export const namable = (providers: readonly ProviderRecord[]) => ({
  providers,
  linkedTo: linkedProviders(providers),
})

/**
 * Decides about a user: adds one who is not there, and gives a stored one the values of the record. What the record does not
 * mention, and what others keep in the item, stays.
 *
 * @param stored the user; undefined when there is none
 * @param wasThere false when the user was stored meanwhile, perhaps by this import, in a call whose reply was lost
 */
export function decideUser(
  terms: Terms,
  { item: given, leftOut: unmentioned }: CheckedRecord,
  stored: Item | undefined,
  { providers, linkedTo }: ReturnType<typeof namable>,
  wasThere: boolean,
): Decision<Outcome> {
  const { data, update } = terms
  const { links: kept, leftOut, fault } = usableLinks(linksOf(given), linkedTo, terms)
  if (fault !== undefined) return { outcome: refused(fault) }
  const item = leftOut.length === 0 ? given : withLinks(given, kept)
  const before = linksOf(stored ?? {})
  const moved = (links: Links): { moves: Moves } => ({
    moves: { ...movesOf(before, links, providers), leftOut },
  })
  const unmoved = { moves: { join: [], leave: [], leftOut } }

  const isSame = stored !== undefined && isDeepStrictEqual(stored, item) // most of those that are there
  const values = stored === undefined ? item : isSame ? {} : difference(userShape, stored, item, unmentioned)
  const fields = Object.keys(values)
  if (fields.length === 0) return { outcome: { is: wasThere || !isSame ? 'there' : 'written', ...unmoved } }

  const links = linksOf({ ...stored, ...values })
  const heldBack = faultOfChange(before, links, terms, providers)
  if (heldBack !== undefined) return { outcome: refused(heldBack) }
  if (stored === undefined) return { outcome: { is: 'written', ...moved(links) }, to: { links, values } }
  if (!update) return { outcome: { is: 'differs', fields, ...unmoved } }
  // A change of a link sets the time: the record's, if it has one.
  const isTimed = unmentioned.includes('updated_at') && linkNames.some(name => name in values)
  const time = isTimed ? { updated_at: new Date(data.clock.nowMs()).toISOString() } : {}
  return {
    outcome: { is: 'updated', fields, ...moved(links) },
    to: { links, values: { ...values, ...time } },
  }
}

/** The item without the links that are left out. */
function withLinks(item: Item, links: Links): Item {
  const kept = { ...item }
  for (const name of linkNames) if (!links[name].valid) delete kept[name]
  return kept
}

/** The active providers that a user joins and leaves. */
function movesOf(before: Links, after: Links, providers: readonly ProviderRecord[]) {
  const active = providers.filter(isListed).map(({ resource }) => resource)
  const gained = (from: Links, to: Links) =>
    active.filter(one => isLinked(to, one) && !isLinked(from, one)).map(({ id }) => id)
  return { join: gained(before, after), leave: gained(after, before) }
}
