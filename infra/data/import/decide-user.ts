import { isOpen, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { userShape } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import type { Clock } from '../../../lib/time.ts'
import type { Decision } from '../membership/plan-changes.ts'
import type { InputRecord } from '../records/input.ts'
import { linkNames, type View } from '../table/linked-providers.ts'
import { difference } from './difference.ts'
import type { Moves, Outcome } from './report.ts'

/** What becomes of a user. */
export interface UserOutcome {
  is: Outcome
  /** The fields that differ from those in the table. */
  fields: string[]
  moves: Moves
}

/**
 * Decides about a user: adds one who is not there, and gives a stored one the values of the record. What the record does not
 * mention, and what others keep in the item, stays.
 *
 * @param update change a user who differs from the record
 * @param stored the user; undefined when there is none
 */
export function decideUser(
  { update, clock }: { update: boolean; clock: Clock },
  record: InputRecord,
  stored: Item | undefined,
  view: View,
): Decision<UserOutcome> {
  const { item, leftOut } = withoutUnusableLinks(record.item, view)
  const values = stored === undefined ? item : difference(userShape, stored, item, record.unmentioned)
  const links = linksOf({ ...stored, ...values })
  const [before, after] = [view.openTo(linksOf(stored ?? {})), view.openTo(links)]
  const moves = { join: idsWithout(after, before), leave: idsWithout(before, after), leftOut }
  if (stored === undefined) return { outcome: { is: 'written', fields: [], moves }, to: { links, values } }
  const fields = Object.keys(values)
  const unmoved = { fields, moves: { join: [], leave: [], leftOut } }
  if (fields.length === 0) return { outcome: { is: 'there', ...unmoved } }
  if (!update) return { outcome: { is: 'differs', ...unmoved } }
  // A change of a link sets the time: the record's, if it has one.
  if (record.unmentioned.includes('updated_at') && linkNames.some(name => name in values))
    values.updated_at = new Date(clock.nowMs()).toISOString()
  return { outcome: { is: 'updated', fields, moves }, to: { links, values } }
}

/**
 * The item without its links to providers that are absent or were removed here, and the ids of these providers. An
 * `sso_provider_id` that no provider has belongs to another protocol.
 */
function withoutUnusableLinks(item: Item, { namedBy }: View): { item: Item; leftOut: number[] } {
  const links = linksOf(item)
  const kept = { ...item }
  const leftOut = new Set<number>()
  for (const name of linkNames) {
    const { int32: id, valid } = links[name]
    const named = namedBy(name, links)
    if (!valid || named.some(isOpen) || (named.length === 0 && name === 'sso_provider_id')) continue
    delete kept[name]
    for (const { resource } of named) leftOut.add(resource.id)
    if (named.length === 0) leftOut.add(id)
  }
  return { item: kept, leftOut: [...leftOut] }
}

const idsWithout = (some: readonly ProviderRecord[], others: readonly ProviderRecord[]) =>
  some.filter(one => !others.includes(one)).map(({ resource }) => resource.id)
