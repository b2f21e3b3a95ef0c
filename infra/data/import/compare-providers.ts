import { isListed, isOpen, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape } from '../../../lib/domain/resources.ts'
import { providerItem, providerRecordOf } from '../../../lib/store/items.ts'
import { membersOf } from '../membership/memberships.ts'
import type { Data } from '../open-data.ts'
import type { InputRecord } from '../records/input.ts'
import { rivalsBy, ssoIdOf } from '../table/linked-providers.ts'
import { difference } from './difference.ts'
import { differenceOf, type Outcome, type Terms } from './report.ts'

/** A provider of the input, and what becomes of it. */
export interface PlannedProvider extends InputRecord {
  /** As a new one is created. */
  record: ProviderRecord
  /** The provider in the table. */
  found: ProviderRecord | undefined
  /** The fields that differ from those in the table. */
  fields: string[]
  outcome: Outcome
}

/**
 * Compares the providers of the input with those in the table.
 *
 * @param known the providers in the table
 */
export async function compareProviders(
  { data, update, tell, tellFault, tally, signal }: Terms,
  records: readonly InputRecord[],
  known: readonly ProviderRecord[],
): Promise<PlannedProvider[]> {
  const byId = new Map(known.map(one => [one.resource.id, one]))
  const all = records.map(one => compare(one, byId.get(Number(one.id)), update))
  const afterwards = new Map(
    known.filter(({ state }) => state !== 'removed').map(({ resource }) => [resource.id, resource]),
  )
  for (const { record, outcome } of all)
    if (isWritten(outcome)) afterwards.set(record.resource.id, record.resource)
  const faultOf = faultsAmong([...afterwards.values()])
  for (const one of all) {
    const { outcome, fields } = one
    tally.note('providers', outcome)
    const fault = isWritten(outcome) ? (faultOf(one) ?? (await leftovers(data, one, signal))) : undefined
    if (fault !== undefined) tellFault({ ...one, reason: fault })
    else if (fields.length > 0) tell({ ...one, reason: differenceOf(fields, update) })
  }
  return all
}

const isWritten = (outcome: Outcome) => outcome === 'written' || outcome === 'updated'

function compare(record: InputRecord, found: ProviderRecord | undefined, update: boolean): PlannedProvider {
  const { item, unmentioned } = record
  const created = { ...(providerRecordOf(item) as ProviderRecord), state: 'importing' as const }
  const plan = { ...record, record: created, found, fields: [] as string[] }
  if (found === undefined) return { ...plan, outcome: 'written' }
  if (!isOpen(found)) return { ...plan, outcome: 'leftOut' }
  const stored = providerItem(found.resource, 0)
  const fields = Object.keys(difference(samlProviderShape, stored, item, unmentioned))
  if (fields.length > 0) return { ...plan, fields, outcome: update ? 'updated' : 'differs' }
  return { ...plan, outcome: isListed(found) ? 'there' : 'written' }
}

/** Returns a function that finds the fault of a provider that is to be written. @param afterwards the providers then */
function faultsAmong(afterwards: readonly SamlProvider[]) {
  const namesakeOf = rivalsBy(({ name }) => name, afterwards)
  const rivalOf = rivalsBy(ssoIdOf, afterwards)
  return ({ record: { resource }, found, fields }: PlannedProvider): string | undefined => {
    if (fields.includes('sso_provider_id'))
      return 'the sso_provider_id differs from that in the table, by which users are linked: an import never changes it. Set the attribute in the table, run verify --repair, and import again'
    const isNew = found === undefined
    const rival = isNew ? rivalOf(resource) : undefined
    if (rival !== undefined)
      return `the sso_provider_id ${ssoIdOf(resource)} is also that of the provider ${rival}`
    const namesake = isNew || fields.includes('name') ? namesakeOf(resource) : undefined
    if (namesake !== undefined)
      return `the name ${JSON.stringify(resource.name)} is that of the provider ${namesake}`
    return undefined
  }
}

/** Counts memberships that a new provider finds: an older import wrote them first. Those of a removal bar its id. */
async function leftovers(data: Data, { found, item, id }: PlannedProvider, signal: AbortSignal) {
  if (found !== undefined) return undefined
  const members = await membersOf(data, Number(id), signal)
  item.member_count = members.length
  return members.some(({ expiresAt }) => expiresAt !== undefined)
    ? `memberships are left of the provider ${id}, which was removed: its id cannot be used before TTL has deleted them`
    : undefined
}
