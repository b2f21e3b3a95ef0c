import { nullableInt32 } from '../../../lib/domain/fields.ts'
import {
  isLinked as isLinkedTo,
  isListed,
  type Links,
  type ProviderRecord,
} from '../../../lib/domain/provider.ts'
import { type Item, linksOf, providerRecordOf } from '../../../lib/store/items.ts'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import { placeOf } from '../table/conditions.ts'
import { linkNames, viewOf } from '../table/linked-providers.ts'
import type { ItemKind } from '../table/table-item.ts'

/** A user who has, or should have, a membership of a provider. */
export interface Pair {
  providerId: number
  userId: string
}

/** What the table has about a pair. */
export interface StoredPair extends Pair {
  /** The user or the membership. */
  item: Item
  provider: Item | undefined
  record: ProviderRecord | undefined
  membership: Item | undefined
  user: Item | undefined
  /** Whether the user's links lead to the provider. */
  isLinked: boolean
  nowMs: number
}

/**
 * Finds users and memberships that do not match, in any order of reading, and counts memberships. Those of a provider that is
 * still importing are left to its import.
 */
export function pairing(providers: readonly ProviderRecord[]) {
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const { linkedTo } = viewOf(providers)
  const counts = new Map<number, number>()
  /** Links and memberships of which the other one is not read yet. */
  const unmatched = new Set<string>()
  const match = (pair: string) => unmatched.delete(pair) || unmatched.add(pair)
  /** Pairs that are wrong with any other half, or may be. */
  const suspects = new Set<string>()

  function lookAtMembership({ providerId, userId }: Pair, { expires_at }: Item) {
    const provider = byId.get(providerId)
    const pair = `${providerId} ${userId}`
    counts.set(providerId, (counts.get(providerId) ?? 0) + 1)
    if (provider?.state === 'importing') return
    if (provider && isUsed(provider) && expires_at === undefined) match(pair)
    // The user of one with the mark of its removal is not linked any more.
    else if (!isMark(expires_at, provider)) suspects.add(pair)
  }

  function lookAtUser(userId: string, item: Item) {
    const links = linksOf(item)
    for (const provider of linkedTo(links))
      if (isUsed(provider)) match(`${provider.resource.id} ${userId}`)
      else if (provider.state === 'removed') suspects.add(`${provider.resource.id} ${userId}`)
    const { int32: id, valid } = links.saml_provider_id
    if (valid && !byId.has(id)) suspects.add(`${id} ${userId}`)
  }

  return {
    look(item: Item, about: ItemKind) {
      if (about.kind === 'membership') lookAtMembership(about, item)
      if (about.kind === 'user') lookAtUser(about.userId, item)
    },
    suspects: (): Pair[] =>
      [...new Set([...unmatched, ...suspects])].map(pair => {
        const [providerId, userId = ''] = pair.split(' ')
        return { providerId: Number(providerId), userId }
      }),
    membershipsOf: (providerId: number) => counts.get(providerId) ?? 0,
  }
}

/** Whether every link to the provider needs a membership. */
export const isUsed = ({ state }: ProviderRecord) => state === 'active' || state === 'removing'

const isMark = (expiresAt: unknown, provider: ProviderRecord | undefined) =>
  provider === undefined
    ? typeof expiresAt === 'number'
    : !isListed(provider) && expiresAt === provider.removal?.retainedUntil

/** Each pair needs three keys, and one call reads 100. */
export const pairsPerRead = 33

/**
 * Reads at most 33 pairs. Those of which nobody knows whether the user is linked are left out.
 *
 * @param sharedSsoIds each `sso_provider_id` that several providers have, which are not removed
 */
export async function readPairs(
  { table, clock }: Data,
  pairs: readonly Pair[],
  sharedSsoIds: ReadonlySet<unknown>,
  signal: AbortSignal,
): Promise<StoredPair[]> {
  const keysOf = ({ providerId, userId }: Pair) =>
    [providerKey(providerId), membershipKey(providerId, userId), userKey(userId)] as const
  const distinct = new Map(pairs.flatMap(keysOf).map(key => [placeOf(key), key]))
  const items = await table.batchGet([...distinct.values()], signal)
  const found = new Map(items.map(item => [placeOf(item), item]))
  return pairs.flatMap(pair => {
    const [provider, membership, user] = keysOf(pair).map(key => found.get(placeOf(key)))
    const record = provider && providerRecordOf(provider)
    const isUnknown = provider !== undefined && record === undefined
    if (isUnknown || isUnclear(user, provider, sharedSsoIds)) return []
    const isLinked = leads(linksOf(user ?? {}), pair, record)
    const item = membership ?? user ?? {}
    return { ...pair, item, provider, record, membership, user, isLinked, nowMs: clock.nowMs() }
  })
}

/** Whether links lead to a provider; to one that is gone only by its id: another one may have its `sso_provider_id`. */
function leads(links: Links, { providerId }: Pair, record: ProviderRecord | undefined): boolean {
  if (record !== undefined && record.state !== 'removed') return isLinkedTo(links, record.resource)
  const { int32, valid } = links.saml_provider_id
  return valid && int32 === providerId
}

/** Whether nobody knows what the links of a user mean: one cannot be read, or its `sso_provider_id` is that of several. */
function isUnclear(
  user: Item | undefined,
  provider: Item | undefined,
  shared: ReadonlySet<unknown>,
): boolean {
  const sso = user?.sso_provider_id
  const isOfSeveral = sso !== undefined && (shared.has(sso) || isUnreadable(provider?.sso_provider_id))
  return isOfSeveral || linkNames.some(name => isUnreadable(user?.[name]))
}

const isUnreadable = (link: unknown) => (link ?? null) !== null && !nullableInt32.decode(link).valid
