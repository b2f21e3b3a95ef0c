import { isDeepStrictEqual } from 'node:util'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { memberOf, providerItem, providerRecordOf } from '../../../lib/store/items.ts'
import { members, providerKey } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { isRetention } from '../ages.ts'
import { replacement } from '../conditions.ts'
import { ssoRivals } from '../linked-providers.ts'
import { correctCount } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { difference } from './difference.ts'
import { type Outcome, refused, there, written } from './report.ts'
import type { CheckedRecord } from './spool.ts'
import { faultOfState, type Terms } from './terms.ts'

const queriesAtOnce = 8
const triesMax = 20

/** A provider of the input, as it will be read, and what is planned: it will be written, or updated, or stays as it is. */
export interface PlannedProvider extends CheckedRecord {
  record: ProviderRecord
  outcome: Outcome
}

/**
 * Decides about the providers of the input.
 *
 * @param update whether a provider in the table that differs is to be updated
 * @returns the plans; `members`: the ids of the users with a membership of a new provider
 */
export async function planProviders(
  data: Data,
  entries: readonly CheckedRecord[],
  known: readonly ProviderRecord[],
  update: boolean,
  signal: AbortSignal,
): Promise<{ planned: PlannedProvider[]; members: Map<number, Set<string>> }> {
  const knownById = new Map(known.map(record => [record.resource.id, record]))
  const active = known.filter(isListed).map(({ resource }) => resource)
  const all = entries.map(entry => ({ ...entry, record: providerRecordOf(entry.item) as ProviderRecord }))
  const unknown = all.map(({ record }) => record.resource).filter(({ id }) => !knownById.has(id))

  const members = new Map<number, Set<string>>()
  const traces = new Set<number>()
  await forEachConcurrently(unknown, queriesAtOnce, async ({ id }) => {
    const found = await membersOf(data, id, signal)
    members.set(id, new Set(found.map(({ userId }) => userId)))
    if (found.some(({ expiresAt }) => isRetention(expiresAt, data.clock.nowMs()))) traces.add(id)
  })

  const idByName = new Map(active.map(({ name, id }) => [name, id]))
  // Nobody knows which of several providers of the input is meant by its users.
  const rivalOf = ssoRivals([...active, ...unknown])
  const ids = new Set<number>()
  const planned = all.map(entry => {
    const { id, name, sso_provider_id: sso } = entry.record.resource
    const found = knownById.get(id)
    const fields = found === undefined ? [] : differingFields(found, entry)
    const isNew = found === undefined
    const isChanged = update && fields.length > 0
    const namesake = idByName.get(name) ?? id
    const rival = isNew ? rivalOf(entry.record.resource) : undefined
    const closed = found && faultOfState(found)
    const faults: [is: boolean, reason: string][] = [
      [ids.has(id), `the provider ${id} is already in the input`],
      [closed !== undefined, `${closed}: its id cannot be used yet`],
      [
        traces.has(id),
        `memberships are left of the provider ${id}, which was removed: its id cannot be used yet`,
      ],
      [rival !== undefined, `the sso_provider_id ${sso.int32} is also that of the provider ${rival}`],
      [
        isChanged && fields.includes('sso_provider_id'),
        `the provider ${id} has another sso_provider_id in the table, by which its users are linked: it cannot be changed`,
      ],
      [
        (isNew || isChanged) && namesake !== id,
        `the name ${JSON.stringify(name)} is that of the provider ${namesake}`,
      ],
    ]
    const [, reason] = faults.find(([is]) => is) ?? []
    ids.add(id)
    if (reason !== undefined) return { ...entry, outcome: refused(reason) }
    if (isNew || isChanged) idByName.set(name, id)
    if (isNew) return { ...entry, outcome: written }
    return { ...entry, outcome: fields.length === 0 ? there : outcomeOf(fields, update) }
  })
  return { planned, members }
}

const outcomeOf = (fields: string[], update: boolean): Outcome => ({
  is: update ? 'updated' : 'differs',
  fields,
})

const differingFields = ({ resource }: ProviderRecord, { item, leftOut }: CheckedRecord) =>
  Object.keys(difference(samlProviderShape, providerItem(resource, 0), item, leftOut))

const membersOf = (data: Data, providerId: number, signal: AbortSignal) =>
  data.table.query(members(providerId), memberOf, signal)

/**
 * Creates the provider with the number of its memberships; from here on it can be used. When another import has created it
 * meanwhile, without the memberships of this one, its count is corrected.
 */
export async function makeProvider(
  { data, signal }: Terms,
  { item, record }: PlannedProvider,
): Promise<Outcome> {
  const { id } = record.resource
  const { length } = await membersOf(data, id, signal)
  const Item = { ...item, member_count: length }
  const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' } }
  if (await data.transact([put], signal)) return written
  const isCounted = await correctCount(data, id, signal)
  const found = await findProvider(data.table, id, signal)
  if (isCounted && isDeepStrictEqual(found?.resource, record.resource)) return there
  return refused(
    `another writer has created the provider ${id} with other values, or is changing it: run verify --repair, which corrects its memberships and count`,
  )
}

/** Gives an active provider the values of a record; its `sso_provider_id`, by which users are linked, cannot change. */
export async function updateProvider(
  { data, signal }: Terms,
  { item, record, leftOut }: PlannedProvider,
): Promise<Outcome> {
  const { id } = record.resource
  for (let tries = 1; tries <= triesMax; tries++) {
    const stored = await data.table.get(providerKey(id), signal)
    if (stored?.state !== 'active') return refused(`the provider ${id} is being removed or was removed`)
    const values = difference(samlProviderShape, stored, item, leftOut)
    const fields = Object.keys(values)
    if (fields.length === 0) return there
    if (await data.transact([replacement(stored, values, 'state', 'sso_provider_id')], signal))
      return { is: 'updated', fields }
  }
  return refused(`other writers changed the provider ${id} meanwhile: import again`)
}
