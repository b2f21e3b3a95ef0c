import { isListed, isOpen, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf } from '../../../lib/store/keys.ts'
import { membersOf } from '../membership/memberships.ts'
import type { InputRecord } from '../records/input.ts'
import { difference } from './difference.ts'
import type { Outcome } from './report.ts'
import type { Terms } from './terms.ts'

/** A provider of the input, and what becomes of it. */
export interface PlannedProvider extends InputRecord {
  /** Its item in the table. */
  stored: Item | undefined
  /** The values that differ from those in the table. */
  values: Item
  outcome: Outcome
  /** The provider after the import, while its users are written. */
  after: ProviderRecord
}

export const isWritten = ({ outcome }: PlannedProvider) => outcome === 'written' || outcome === 'updated'

/** Whether nobody can use the provider until the import opens it. */
export const isImported = ({ after }: PlannedProvider) => after.state === 'importing'

/**
 * Compares the providers of the input with those in the table, and tells which differ.
 *
 * @param items those in the table
 */
export async function compareProviders(
  terms: Terms,
  records: readonly InputRecord[],
  items: readonly Item[],
): Promise<PlannedProvider[]> {
  const { report, dryRun } = terms
  const byId = new Map(items.map(item => [providerIdOf(item), item]))
  const planned: PlannedProvider[] = []
  for (const record of records) {
    const plan = await planOf(terms, record, byId.get(Number(record.id)))
    planned.push(plan)
    // What is written is counted then.
    if (!isWritten(plan) || dryRun) report.note('providers', plan.outcome)
    if (/^(updated|differs)$/.test(plan.outcome)) report.difference(plan, Object.keys(plan.values))
  }
  return planned
}

async function planOf(terms: Terms, record: InputRecord, stored?: Item): Promise<PlannedProvider> {
  const { item, unmentioned } = record
  const plan = { ...record, stored, values: {} }
  if (stored === undefined) {
    const { isRemoved, count } = await leftovers(terms, Number(record.id))
    const state = isRemoved ? 'removed' : 'importing'
    const after = recordOf({ ...item, state, member_count: count })
    return { ...plan, outcome: isRemoved ? 'leftOut' : 'written', after }
  }
  const found = recordOf(stored)
  if (!isOpen(found)) return { ...plan, outcome: 'leftOut', after: found }
  const values = difference(samlProviderShape, stored, item, unmentioned)
  const updated = { ...plan, values, after: recordOf({ ...stored, ...values }) }
  if (!isListed(found)) return { ...updated, outcome: 'written' }
  if (Object.keys(values).length === 0) return { ...plan, outcome: 'there', after: found }
  return terms.update ? { ...updated, outcome: 'updated' } : { ...updated, outcome: 'differs', after: found }
}

const recordOf = (item: Item) => providerRecordOf(item) as ProviderRecord

/**
 * Looks for memberships of a provider that is not in the table: those of a removal, whose tombstone TTL may delete before
 * them, or those that an older import wrote before their provider.
 */
export async function leftovers({ data, signal }: Terms, providerId: number) {
  const members = await membersOf(data, providerId, signal)
  return {
    isRemoved: members.some(({ expiresAt }) => expiresAt !== undefined),
    count: members.length,
  }
}
