import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape } from '../../../lib/domain/resources.ts'
import { type Item, linksOf, providerItem, providerRecordOf } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { rivalsBy, ssoIdOf } from '../table/linked-providers.ts'
import { membersOf } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { scanUsers } from '../table/scan.ts'
import { isRetention } from '../table/table-item.ts'
import { difference } from './difference.ts'
import { type Outcome, refused } from './report.ts'
import type { CheckedRecord } from './spool.ts'

const queriesAtOnce = 8

/** A provider of the input, as it will be read, and what is planned: it will be written, or updated, or stays as it is. */
export interface PlannedProvider extends CheckedRecord {
  record: ProviderRecord
  outcome: Outcome
  /** Whether a provider in the table without an `sso_provider_id` is to get one. */
  getsSso: boolean
}

/**
 * Decides about the providers of the input.
 *
 * @param known the providers in the table
 * @param update whether a provider in the table that differs is to be updated
 * @returns the plans; `members`: the ids of the users with a membership, of each provider that
 *   is not in the table or gets its first `sso_provider_id`
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
  await forEachConcurrently([...unknown, ...gaining], queriesAtOnce, async ({ id }) => {
    const stored = await membersOf(data, id, signal)
    members.set(id, new Set(stored.map(({ userId }) => userId)))
    const isLeft = stored.some(({ expiresAt }) => isRetention(expiresAt, data.clock.nowMs()))
    if (isLeft && !knownById.has(id)) traces.add(id)
  })
  const strangers = await countStrangers(data, gaining, members, signal)

  /** Providers of the table as they will be, and the new ones. */
  const afterwards = (stored: readonly SamlProvider[], changed: readonly SamlProvider[]) => {
    const byId = new Map(changed.map(one => [one.id, one]))
    return [...stored.map(one => byId.get(one.id) ?? one), ...unknown]
  }
  const updated = update ? all.map(({ record }) => record.resource) : []
  const namesakeOf = rivalsBy(({ name }) => name, afterwards(active, updated))
  // Users are still linked to one in removal. Nobody knows which of several providers of the input is meant by its users.
  const used = known.filter(({ state }) => state !== 'removed').map(({ resource }) => resource)
  const rivalOf = rivalsBy(ssoIdOf, afterwards(used, gaining))
  const ids = new Set<number>()
  const planned = all.map(({ found, fields, changesSso, ...entry }): PlannedProvider => {
    const { id, name, sso_provider_id: sso } = entry.record.resource
    const isNew = found === undefined
    const isChanged = update && fields.length > 0
    const namesake = isNew || isChanged ? namesakeOf(entry.record.resource) : undefined
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
      [namesake !== undefined, `the name ${JSON.stringify(name)} is that of the provider ${namesake}`],
    ]
    const isClosed = found !== undefined && !isListed(found)
    const [, reason] = (isClosed ? faults.slice(0, 1) : faults).find(([is]) => is) ?? []
    ids.add(id)
    if (reason !== undefined) return { ...entry, outcome: refused(reason) }
    if (isClosed) return { ...entry, outcome: { is: 'leftOut' } }
    if (isNew) return { ...entry, outcome: { is: 'written' } }
    if (fields.length === 0) return { ...entry, outcome: { is: 'there' } }
    return { ...entry, outcome: { is: update ? 'updated' : 'differs', fields } }
  })
  return { planned, members }
}

const differingFields = ({ resource }: ProviderRecord, { item, leftOut }: CheckedRecord) =>
  Object.keys(difference(samlProviderShape, providerItem(resource, 0), item, leftOut))

/**
 * Counts the users in the table who have the `sso_provider_id` of a provider, and no membership of it.
 *
 * @param gaining the providers that get it, as they will be
 * @param members the ids of the users with a membership, by the provider's id
 * @returns the numbers, by the provider's id
 */
async function countStrangers(
  data: Data,
  gaining: readonly SamlProvider[],
  members: ReadonlyMap<number, ReadonlySet<string>>,
  signal: AbortSignal,
) {
  const counts = new Map<number, number>()
  if (gaining.length === 0) return counts
  const bySso = Map.groupBy(gaining, ssoIdOf)
  const count = (users: Item[]) => {
    for (const user of users) {
      const { int32, valid } = linksOf(user).sso_provider_id
      for (const { id } of valid ? (bySso.get(int32) ?? []) : [])
        if (!members.get(id)?.has(userIdOf(user))) counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  }
  await scanUsers(data, count, signal, true)
  return counts
}
