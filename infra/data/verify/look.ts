import { isListed, linkValuesOf, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { type Item, linksOf, providerRecordOf } from '../../../lib/store/items.ts'
import { providerKey, providers as providerItems } from '../../../lib/store/keys.ts'
import { assertNoImport } from '../import/marker.ts'
import type { Data } from '../open-data.ts'
import { reportProgress } from '../output.ts'
import { isMiscounted } from '../table/count.ts'
import { ownersAmong } from '../table/owners.ts'
import { scanTable } from '../table/scan.ts'
import { kindOf, unreadableIn } from '../table/kinds.ts'

/** What a look has seen of a pair of a provider and a user. */
type Half = 'link' | 'membership'

interface Seen {
  providers: ReadonlyMap<number, ProviderRecord>
  ownersOf: ReturnType<typeof ownersAmong<ProviderRecord>>
  /** The pairs of which only one half was seen yet: they come in any order. */
  pairs: Map<string, Half>
}

export interface Findings {
  /** A sentence for each fault; what a writer changes meanwhile may look like one. */
  faults: Set<string>
  /** The number of active providers, whose users and memberships were checked. */
  checked: number
  /** The number of those in removal, which were not. */
  inRemoval: number
}

/** Reads the whole table. */
export async function look(data: Data, signal: AbortSignal): Promise<Findings> {
  const items = await data.table.query(providerItems, item => item, signal)
  const sound = items.flatMap(item => providerRecordOf(item) ?? [])
  const garbled = items.filter(item => providerRecordOf(item) === undefined)
  // Of two with one id, the last one counts.
  const providers = [...garbled.flatMap(item => asInRemoval(item) ?? []), ...sound]
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const seen: Seen = { providers: byId, ownersOf: ownersAmong(providers), pairs: new Map() }
  const faults = new Set(sharedSsoIds(providers))
  const isMarkerLeft = await assertNoImport(data, signal)
  if (isMarkerLeft) faults.add(lateImport)
  const check = (item: Item) => {
    for (const fault of [...unreadableIn(item), ...faultsIn(seen, item)])
      faults.add(`${item.PK} ${item.SK}: ${fault}`)
  }
  await scanTable(data, items => items.forEach(check), signal)
  for (const [pair, half] of seen.pairs) faults.add(`${pair}: ${alone[half]}`)
  using progress = reportProgress('providers counted', providers.length)
  for (const { resource } of providers) {
    if (await isMiscounted(data.table, resource.id, signal))
      faults.add(`provider ${resource.id}: member_count is not the number of its memberships`)
    progress.advance(1)
  }
  const inRemoval = sound.filter(({ state }) => state === 'removing').length
  return { faults, checked: sound.filter(isListed).length, inRemoval }
}

/** A provider whose state or key is unknown counts as one in removal: its memberships and links are not judged. */
function asInRemoval(item: Item): ProviderRecord | undefined {
  const id = Number(String(item.SK).slice(providerItems.prefix.length))
  return providerRecordOf({ ...item, ...providerKey(id), state: 'removing' })
}

const lateImport = 'SAML_PROVIDERS IMPORT: left by an import that came too late: delete this item'

const alone = { link: 'linked without a membership', membership: 'a membership without a link' }

function sharedSsoIds(providers: readonly ProviderRecord[]): string[] {
  const ids = providers.filter(isListed).flatMap(({ resource }) => linkValuesOf(resource).slice(1))
  const shared = [...Map.groupBy(ids, ([, id]) => id)].filter(([, { length }]) => length > 1)
  return shared.map(([id]) => `sso_provider_id ${id}: several providers have it`)
}

function faultsIn(seen: Seen, item: Item): string[] {
  const about = kindOf(item)
  switch (about.kind) {
    case 'provider':
      return item.state === 'active' ? expiryOf(item) : []
    case 'membership':
      return ofMembership(seen, about, item)
    case 'user':
      return [...ofUser(seen, about.userId, item), ...expiryOf(item)]
    case 'foreign':
      return []
  }
}

function ofMembership(
  seen: Seen,
  { providerId, userId }: { providerId: number; userId: string },
  item: Item,
) {
  const provider = seen.providers.get(providerId)
  // What a removal has left expires.
  if (provider === undefined) return item.expires_at === undefined ? ['there is no such provider'] : []
  if (!isListed(provider)) return []
  if (!isUserId(userId)) return ['its user id must be in lower case']
  match(seen, providerId, userId, 'membership')
  return expiryOf(item)
}

function ofUser(seen: Seen, userId: string, item: Item): string[] {
  const links = seen.ownersOf(linksOf(item))
  const active = new Set(links.flatMap(({ owners }) => owners.filter(isListed)))
  for (const { resource } of active) match(seen, resource.id, userId, 'link')
  // An `sso_provider_id` that no provider has belongs to another protocol.
  const dead = links.filter(({ name, owners }) => {
    const isOurs = name === 'saml_provider_id' || owners.length > 0
    return isOurs && owners.every(({ state }) => state === 'removed')
  })
  return dead.map(({ name, value, owners: [owner] }) =>
    owner === undefined
      ? `linked by ${name} ${value} to a provider that is not there`
      : `linked by ${name} ${value} to provider ${owner.resource.id}, which is removed`,
  )
}

const expiryOf = ({ expires_at }: Item) =>
  expires_at === undefined ? [] : ['expires_at is set: TTL deletes it']

function match({ pairs }: Seen, providerId: number, userId: string, half: Half) {
  const pair = `provider ${providerId}, user ${userId}`
  if (!pairs.delete(pair)) pairs.set(pair, half)
}
