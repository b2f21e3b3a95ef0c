import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { listedTotal } from '../../../lib/removal/members.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { viewOf } from '../table/linked-providers.ts'
import type { ItemKind } from '../table/table-item.ts'
import { membershipKind, type Pair, type Unmarked } from './pair.ts'
import type { Memberships } from './provider-rules.ts'

/**
 * Finds users and memberships that may not match, in any order of reading. It holds each until the other one is read.
 *
 * @param only the id of the only provider that matters
 */
export function pairing(providers: readonly ProviderRecord[], nowMs: number, only: number | undefined) {
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const { linkedTo } = viewOf(providers)
  const memberships = counter()
  const marked = counter()
  const usersOfAbsent = counter()
  const halves = new Set<string>()
  const odd = new Set<string>()
  const match = (providerId: number, userId: string) => {
    if (only !== undefined && providerId !== only) return
    const half = `${providerId} ${userId}`
    if (!halves.delete(half)) halves.add(half)
    else if (!byId.has(providerId)) usersOfAbsent.add(providerId)
  }

  return {
    look(item: Item, about: ItemKind) {
      if (about.kind === 'membership') {
        const { providerId, userId } = about
        memberships.add(providerId)
        const provider = byId.get(providerId)
        const kind = membershipKind(item, provider && { mark: provider.removal?.retainedUntil }, nowMs)
        if (kind === 'marked') marked.add(providerId)
        if (kind === 'lasting' && provider?.state !== 'removed') match(providerId, userId)
        // The user of a marked one is unlinked.
        else if (kind !== 'marked' || provider?.state === 'active') odd.add(`${providerId} ${userId}`)
      }
      if (about.kind !== 'user') return
      const links = linksOf(item)
      for (const { resource } of linkedTo(links)) match(resource.id, about.userId)
      const { int32, valid } = links.saml_provider_id
      if (valid && !byId.has(int32)) match(int32, about.userId)
    },
    suspects: (): Pair[] =>
      [...new Set([...halves, ...odd])].map(one => {
        const [providerId, userId = ''] = one.split(' ')
        return { providerId: Number(providerId), userId }
      }),
    membershipsOf: (providerId: number): Memberships => ({
      all: memberships.of(providerId),
      marked: marked.of(providerId),
    }),
    /** What the memberships of a removed provider without its mark are: the list of its removal has a known length. */
    unmarkedOf(providerId: number): Unmarked {
      const provider = byId.get(providerId)
      if (provider?.state !== 'removed') return 'unclear'
      const listed = listedTotal(provider)
      if (listed === undefined) return 'unclear'
      const missing = listed - marked.of(providerId)
      if (missing <= 0) return 'strangers'
      return memberships.of(providerId) - marked.of(providerId) <= missing ? 'listed' : 'unclear'
    },
    /** The number of linked users of each provider that is not in the table. */
    usersOfAbsent,
  }
}

function counter() {
  const counts = new Map<number, number>()
  return {
    add: (id: number) => counts.set(id, (counts.get(id) ?? 0) + 1),
    of: (id: number) => counts.get(id) ?? 0,
    all: () => counts.entries(),
  }
}
