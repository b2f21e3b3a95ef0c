import { nullableInt32 } from '../../../lib/domain/fields.ts'
import { type Links, linksTo, type ProviderRecord, type ProviderState } from '../../../lib/domain/provider.ts'
import { type Item, linksOf, providerRecordOf } from '../../../lib/store/items.ts'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import { placeOf } from '../table/conditions.ts'
import { rivalsBy, ssoIdOf } from '../table/linked-providers.ts'
import { linkNames } from '../membership/change-users.ts'
import type { Data } from '../open-data.ts'
import { isRetention } from '../table/table-item.ts'

/** A user who has, or should have, a membership of a provider. */
export interface Pair {
  providerId: number
  userId: string
}

/** What the table has about a pair. */
export interface StoredPair extends Pair {
  provider: Item | undefined
  membership: Item | undefined
  user: Item | undefined
  /** `none`: there is no such provider; `unknown`: the state, or the mark of a removed one, cannot be read. */
  state: ProviderState | 'none' | 'unknown'
  membershipIs: MembershipKind | 'absent'
  /**
   * Whether the user's links lead to the provider; `shared`: only by an SSO provider that another provider has or may have, or
   * by none while an active provider shares its own: nobody knows by which one its members are linked. An SSO provider that
   * one in use has does not lead to a removed one.
   */
  link: 'none' | 'linked' | 'shared' | 'unreadable'
  /** The links that lead to this provider alone. */
  linkedBy: (keyof Links)[]
  /** `expires_at` of the marked memberships. */
  mark: number | undefined
  unmarked: Unmarked
  nowMs: number
}

/** The memberships of a removed provider without its mark: its list lacks them, or is complete without them. */
export type Unmarked = 'listed' | 'strangers' | 'unclear'

/** By `expires_at`: a `lasting` one has none, a `marked` one that of a removal. */
type MembershipKind = 'lasting' | 'marked' | 'expiring'

/**
 * The kind of a membership.
 *
 * @param provider undefined when it is not in the table: then TTL deletes what a removal may have marked
 */
export function membershipKind(
  { expires_at }: Item,
  provider: { mark: number | undefined } | undefined,
  nowMs: number,
): MembershipKind {
  if (expires_at === undefined) return 'lasting'
  const isMarked = provider === undefined ? isRetention(expires_at, nowMs) : expires_at === provider.mark
  return isMarked ? 'marked' : 'expiring'
}

/** Each pair needs three keys, and one call reads 100. */
export const pairsPerRead = 33

/**
 * Returns a function that reads at most 33 pairs.
 *
 * @param providers all providers
 */
export function pairReader(
  { table, clock }: Data,
  providers: readonly ProviderRecord[],
  unmarkedOf: (providerId: number) => Unmarked,
) {
  const used = providers.filter(({ state }) => state !== 'removed').map(({ resource }) => resource)
  const rivalOf = rivalsBy(ssoIdOf, used)
  const ssoIds = new Set(providers.map(({ resource }) => ssoIdOf(resource)))

  /** The links to a provider that is not in the table; its SSO provider may be one that no provider has. */
  const linksToAbsent = (id: number, links: Links, isMember: boolean): (keyof Links)[] => {
    const { saml_provider_id: saml, sso_provider_id: sso } = links
    if (saml.int32 === id) return ['saml_provider_id']
    return isMember && sso.valid && !ssoIds.has(sso.int32) ? ['sso_provider_id'] : []
  }

  const interpret = (pair: Pair, [provider, membership, user]: (Item | undefined)[]): StoredPair => {
    const record = provider && providerRecordOf(provider)
    const mark = record?.removal?.retainedUntil
    const isKnown = record !== undefined && (record.state !== 'removed' || mark !== undefined)
    const nowMs = clock.nowMs()
    const membershipIs = membership ? membershipKind(membership, provider && { mark }, nowMs) : 'absent'
    const links = linksOf(user ?? {})
    const leading = record
      ? linksTo(record.resource, links)
      : linksToAbsent(pair.providerId, links, membershipIs === 'lasting')
    const hasRival = record !== undefined && rivalOf(record.resource) !== undefined
    const isShared = record === undefined || hasRival
    const linkedBy = leading.filter(name => name === 'saml_provider_id' || !isShared)
    const isDoubtful = leading.length > 0 || (hasRival && record.state === 'active')
    const otherLink = isDoubtful && record?.state !== 'removed' ? 'shared' : 'none'
    return {
      ...{ ...pair, provider, membership, membershipIs, user, linkedBy, mark, nowMs },
      unmarked: unmarkedOf(pair.providerId),
      state: isKnown ? record.state : provider === undefined ? 'none' : 'unknown',
      link: linkedBy.length > 0 ? 'linked' : isUnclear(user, provider) ? 'unreadable' : otherLink,
    }
  }

  return async (pairs: readonly Pair[], signal: AbortSignal): Promise<StoredPair[]> => {
    const keys = pairs.map(({ providerId, userId }) => [
      providerKey(providerId),
      membershipKey(providerId, userId),
      userKey(userId),
    ])
    const distinct = new Map(keys.flat().map(key => [placeOf(key), key]))
    const items = await table.batchGet([...distinct.values()], signal)
    const found = new Map(items.map(item => [placeOf(item), item]))
    return pairs.map((pair, n) =>
      interpret(
        pair,
        (keys[n] ?? []).map(key => found.get(placeOf(key))),
      ),
    )
  }
}

/** Whether the user may have a link to the provider that cannot be read. */
function isUnclear(user: Item | undefined, provider: Item | undefined): boolean {
  const isSsoLinked = user?.sso_provider_id !== undefined && isUnreadable(provider?.sso_provider_id)
  return isSsoLinked || linkNames.some(name => isUnreadable(user?.[name]))
}

const isUnreadable = (link: unknown) => (link ?? null) !== null && !nullableInt32.decode(link).valid
