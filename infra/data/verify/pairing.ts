import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { isOverdue } from '../ages.ts'
import { linkedProviders } from '../linked-providers.ts'
import type { ItemKind } from '../table-item.ts'
import type { Pair } from './pair.ts'

/** Finds users and memberships that may not match, in any order of reading. */
export function pairing(providers: readonly ProviderRecord[], nowMs: number) {
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const linked = linkedProviders(providers)
  const memberships = new Map<number, number>()
  /** The number of linked users by provider that is not in the table. */
  const absent = new Map<number, number>()
  const halves = new Set<string>()
  const odd = new Set<string>()
  const countAbsent = (providerId: number) => absent.set(providerId, (absent.get(providerId) ?? 0) + 1)
  const match = (providerId: number, userId: string) => {
    const half = `${providerId} ${userId}`
    if (!halves.delete(half)) halves.add(half)
    else if (!byId.has(providerId)) countAbsent(providerId)
  }

  const lookAtMembership = ({ expires_at }: Item, providerId: number, userId: string) => {
    memberships.set(providerId, (memberships.get(providerId) ?? 0) + 1)
    const provider = byId.get(providerId)
    if (provider?.state !== 'removed' && expires_at === undefined) return match(providerId, userId)
    // Marked by a removal: the user is unlinked.
    const isMarked = provider?.state !== 'active' && expires_at === provider?.removal?.retainedUntil
    if (!isMarked || isOverdue(expires_at, nowMs)) odd.add(`${providerId} ${userId}`)
  }

  return {
    look(item: Item, about: ItemKind) {
      if (about.kind === 'membership') lookAtMembership(item, about.providerId, about.userId)
      if (about.kind !== 'user') return
      const links = linksOf(item)
      for (const { resource } of linked(links)) match(resource.id, about.userId)
      const { int32, valid } = links.saml_provider_id
      if (valid && !byId.has(int32)) match(int32, about.userId)
    },
    suspects: (): Pair[] =>
      [...new Set([...halves, ...odd])].map(one => {
        const [providerId, userId = ''] = one.split(' ')
        return { providerId: Number(providerId), userId }
      }),
    /** The number of memberships of a provider. */
    membershipsOf: (providerId: number) => memberships.get(providerId) ?? 0,
    absent,
    /** Counts one more user of a provider that is not in the table. */
    countAbsent,
  }
}
