import { isDeepStrictEqual } from 'node:util'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { providerItem, providerRecordOf } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { isRetention } from '../ages.ts'
import { replacement } from '../conditions.ts'
import { ssoIdOf, ssoRivals } from '../linked-providers.ts'
import { correctCount, membersOf } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import type { ShowPhase } from '../progress.ts'
import { difference } from './difference.ts'
import { countStrangers } from './linked-users.ts'
import { type Outcome, refused, there, written } from './report.ts'
import type { CheckedRecord } from './spool.ts'
import type { Terms } from './terms.ts'

const queriesAtOnce = 8
const triesMax = 20

/** A provider of the input, as it will be read, and what is planned: it will be written, or updated, or stays as it is. */
export interface PlannedProvider extends CheckedRecord {
  record: ProviderRecord
  outcome: Outcome
  /** Whether a provider in the table without an `sso_provider_id` is to get one. */
  getsSso: boolean
}

interface Context {
  data: Data
  /** The providers in the table. */
  known: readonly ProviderRecord[]
  /** Whether a provider in the table that differs is to be updated. */
  update: boolean
  phase: ShowPhase
  signal: AbortSignal
}

/**
 * Decides about the providers of the input.
 *
 * @returns the plans; `members`: the ids of the users with a membership of a provider that is not in the table
 */
export async function planProviders(
  { data, known, update, phase, signal }: Context,
  entries: readonly CheckedRecord[],
): Promise<{ planned: PlannedProvider[]; members: Map<number, Set<string>> }> {
  const knownById = new Map(known.map(record => [record.resource.id, record]))
  const active = known.filter(isListed).map(({ resource }) => resource)
  const all = entries.map(entry => {
    const record = providerRecordOf(entry.item) as ProviderRecord
    const found = knownById.get(record.resource.id)
    const fields = found === undefined ? [] : differingFields(found, entry)
    const changesSso = update && fields.includes('sso_provider_id')
    const getsSso =
      changesSso && found !== undefined && isListed(found) && ssoIdOf(found.resource) === undefined
    return { ...entry, record, found, fields, changesSso, getsSso }
  })
  const unknown = all.filter(({ found }) => found === undefined).map(({ record }) => record.resource)
  const gaining = all.filter(({ getsSso }) => getsSso).map(({ record }) => record.resource)

  const members = new Map<number, Set<string>>()
  const traces = new Set<number>()
  await forEachConcurrently(unknown, queriesAtOnce, async ({ id }) => {
    const stored = await membersOf(data, id, signal)
    members.set(id, new Set(stored.map(({ userId }) => userId)))
    if (stored.some(({ expiresAt }) => isRetention(expiresAt, data.clock.nowMs()))) traces.add(id)
  })
  const strangers: ReadonlyMap<number, number> =
    gaining.length === 0
      ? new Map()
      : await phase('users in the table', advance => countStrangers(data, gaining, advance, signal))

  const idByName = new Map(active.map(({ name, id }) => [name, id]))
  // Users are still linked to one in removal. Nobody knows which of several providers of the input is meant by its users.
  const used = known.filter(({ state }) => state !== 'removed').map(({ resource }) => resource)
  const gainingById = new Map(gaining.map(resource => [resource.id, resource]))
  const rivalOf = ssoRivals([...used.map(one => gainingById.get(one.id) ?? one), ...unknown])
  const ids = new Set<number>()
  const planned = all.map(({ found, fields, changesSso, ...entry }): PlannedProvider => {
    const { id, name, sso_provider_id: sso } = entry.record.resource
    const isNew = found === undefined
    const isChanged = update && fields.length > 0
    const namesake = idByName.get(name) ?? id
    const rival = isNew || entry.getsSso ? rivalOf(entry.record.resource) : undefined
    const others = strangers.get(id) ?? 0
    const faults: [is: boolean, reason: string][] = [
      [ids.has(id), `the provider ${id} is already in the input`],
      [
        traces.has(id),
        `memberships are left of the provider ${id}, which was removed: its id cannot be used yet`,
      ],
      [rival !== undefined, `the sso_provider_id ${sso.int32} is also that of the provider ${rival}`],
      [
        changesSso && !entry.getsSso,
        `the provider ${id} has another sso_provider_id in the table, by which its users are linked: it cannot be changed`,
      ],
      [
        others > 0,
        `${others === 1 ? '1 user has' : `${others} users have`} the sso_provider_id ${sso.int32} without being linked to the provider ${id}: import them with saml_provider_id ${id}, or without sso_provider_id, before this record`,
      ],
      [
        (isNew || isChanged) && namesake !== id,
        `the name ${JSON.stringify(name)} is that of the provider ${namesake}`,
      ],
    ]
    const isClosed = found !== undefined && !isListed(found)
    const [, reason] = (isClosed ? faults.slice(0, 1) : faults).find(([is]) => is) ?? []
    ids.add(id)
    if (reason !== undefined) return { ...entry, outcome: refused(reason) }
    if (isClosed) return { ...entry, outcome: { is: 'leftOut' } }
    if (isNew || isChanged) idByName.set(name, id)
    if (isNew) return { ...entry, outcome: written }
    if (fields.length === 0) return { ...entry, outcome: there }
    return { ...entry, outcome: { is: update ? 'updated' : 'differs', fields } }
  })
  return { planned, members }
}

const refusedAs = (invalid: string) => refused(`DynamoDB does not take the provider: ${invalid}`)

const differingFields = ({ resource }: ProviderRecord, { item, leftOut }: CheckedRecord) =>
  Object.keys(difference(samlProviderShape, providerItem(resource, 0), item, leftOut))

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
  const refusal = await data.transact([put], signal)
  if (refusal === undefined) return written
  if (refusal.invalid !== undefined) return refusedAs(refusal.invalid)
  const isCounted = await correctCount(data, id, signal)
  const found = await findProvider(data.table, id, signal)
  if (isCounted && isDeepStrictEqual(found?.resource, record.resource)) return there
  return refused(
    `another writer has created the provider ${id} with other values, or is changing it: run verify --repair, which corrects its memberships and count`,
  )
}

/** Gives an active provider the values of a record; its `sso_provider_id` only while it has none, because users are linked by it. */
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
    if ('sso_provider_id' in values && providerRecordOf(stored)?.resource.sso_provider_id.valid)
      return refused(`another writer has given the provider ${id} another sso_provider_id meanwhile`)
    const refusal = await data.transact([replacement(stored, values, 'state', 'sso_provider_id')], signal)
    if (refusal === undefined) return { is: 'updated', fields }
    if (refusal.invalid !== undefined) return refusedAs(refusal.invalid)
  }
  return refused(`other writers changed the provider ${id} meanwhile: import again`)
}
