import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { linkedProviders } from '../linked-providers.ts'
import type { ItemKind } from '../table-item.ts'
import { isOverdue } from '../ages.ts'
import type { Pair } from './membership-faults.ts'

/** Finds users and memberships of a scan that may not match, in any order of reading. */
export function pairing(providers: readonly ProviderRecord[], nowMs: number) {
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const linked = linkedProviders(providers)
  const memberships = new Map<number, number>()
  const halves = new Set<string>()
  const odd = new Set<string>()
  const pair = (providerId: number, userId: string) => `${providerId} ${userId}`
  const match = (half: string) => void (halves.delete(half) || halves.add(half))

  const lookAtMembership = ({ expires_at }: Item, providerId: number, userId: string) => {
    memberships.set(providerId, (memberships.get(providerId) ?? 0) + 1)
    const provider = byId.get(providerId)
    const one = pair(providerId, userId)
    if (provider?.state === 'active' && expires_at === undefined) return match(one)
    // Marked by a removal: the user is unlinked.
    const isMarked = expires_at !== undefined && expires_at === provider?.removal?.retainedUntil
    if (provider?.state === 'removing' && !isMarked) return match(one)
    const isDone = isMarked && provider?.state !== 'active' && !isOverdue(expires_at, nowMs)
    if (!isDone) odd.add(one)
  }

  return {
    look(item: Item, about: ItemKind) {
      if (about.kind === 'membership') lookAtMembership(item, about.providerId, about.userId)
      if (about.kind !== 'user') return
      const links = linksOf(item)
      for (const { resource } of linked(links)) match(pair(resource.id, about.userId))
      const { int32, valid } = links.saml_provider_id
      if (valid && !byId.has(int32)) odd.add(pair(int32, about.userId))
    },
    suspects: (): Pair[] =>
      [...new Set([...halves, ...odd])].map(one => {
        const [providerId, userId = ''] = one.split(' ')
        return { providerId: Number(providerId), userId }
      }),
    /** The number of memberships of a provider. */
    membershipsOf: (providerId: number) => memberships.get(providerId) ?? 0,
  }
}
