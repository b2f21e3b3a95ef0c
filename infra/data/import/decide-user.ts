import { isOpen } from '../../../lib/domain/provider.ts'
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
  /** The providers to which a link is left out that a new user should have, or for which a stored one gives up another. */
  lost: number[]
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
  const unusable = unusableLinks(record.item, view)
  const item = without(record.item, unusable)
  const leftOut = idsOf(unusable)
  if (stored === undefined) {
    const moves = { ...movesBetween({}, item, view), leftOut }
    return {
      outcome: { is: 'written', fields: [], moves, lost: leftOut },
      to: { links: linksOf(item), values: item },
    }
  }
  const values = difference(userShape, stored, item, record.unmentioned)
  const fields = Object.keys(values)
  if (fields.length === 0 || !update) {
    const is = fields.length === 0 ? 'there' : 'differs'
    return { outcome: { is, fields, moves: { join: [], leave: [], leftOut }, lost: [] } }
  }
  // A change of a link sets the time: the record's, if it has one.
  if (record.unmentioned.includes('updated_at') && linkNames.some(name => name in values))
    values.updated_at = new Date(clock.nowMs()).toISOString()
  const updated = { ...stored, ...values }
  const moves = { ...movesBetween(stored, updated, view), leftOut }
  const lost = idsOf(unusable.filter(({ name }) => name in values))
  return { outcome: { is: 'updated', fields, moves, lost }, to: { links: linksOf(updated), values } }
}

function movesBetween(stored: Item, updated: Item, view: View) {
  const [before, after] = [stored, updated].map(item =>
    view.openTo(linksOf(item)).map(({ resource }) => resource.id),
  ) as [number[], number[]]
  return { join: after.filter(id => !before.includes(id)), leave: before.filter(id => !after.includes(id)) }
}

/** A link that is left out. */
interface UnusableLink {
  name: (typeof linkNames)[number]
  /** The providers that it names: absent ones, or ones that were removed here. */
  ids: number[]
}

/** The links of a record that no provider takes. An `sso_provider_id` that no provider has belongs to another protocol. */
function unusableLinks(item: Item, { namedBy }: View): UnusableLink[] {
  const links = linksOf(item)
  return linkNames.flatMap(name => {
    const { int32, valid } = links[name]
    const named = namedBy(name, links)
    if (!valid || named.some(isOpen)) return []
    if (named.length > 0) return { name, ids: named.map(({ resource }) => resource.id) }
    return name === 'saml_provider_id' ? { name, ids: [int32] } : []
  })
}

const without = (item: Item, unusable: readonly UnusableLink[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !unusable.some(link => link.name === name)))

const idsOf = (links: readonly UnusableLink[]) => [...new Set(links.flatMap(({ ids }) => ids))]
