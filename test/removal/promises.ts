import type { User } from '../../lib/domain/resources.ts'
import { type Answer, idsOf, type Scenario, type State } from './scenario.ts'

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Records what the promises of a removal depend on, and which of them were broken, as sentences. */
export function watch(scenario: Scenario) {
  let linkedAtStart = idsOf(scenario.users)
  let hasBegun = false
  let removalId: string | undefined
  const movedUsers = new Map<string, User>()
  const erasedIds = new Set<string>()
  const lists: string[][] = []
  const broken = new Set<string>()
  const expect = (isKept: boolean, promise: string) => void (isKept || broken.add(promise))
  const withoutErased = (ids: string[]) => ids.filter(id => !erasedIds.has(id))

  function observe({ item, provider, members, users, linked }: State) {
    if (provider === undefined) return expect(false, 'the provider is gone')
    const ids = members.map(({ userId }) => userId)
    if (provider.state === 'active') {
      linkedAtStart = linked
      return expect(isSame(ids, linked), 'a user is unlinked before the provider is marked as being removed')
    }
    hasBegun = true
    const { state, removal } = provider
    removalId ??= removal?.id
    expect(removal === undefined || removal.id === removalId, 'a removal that has begun is begun again')
    const unlinked = members.filter(({ isUnlinked }) => isUnlinked)
    expect(isSame(ids, linkedAtStart), 'a membership is gone, or a new one is there')
    expect(
      !unlinked.some(({ userId }) => linked.includes(userId)),
      'a user is marked as unlinked and is linked',
    )
    for (const moved of movedUsers.values()) {
      const stored = users.find(({ id }) => id === moved.id)
      expect(stored === undefined || isSame(stored, moved), 'a user who had moved elsewhere was changed')
    }
    if (state === 'removing') {
      const ends = [item.removed_at, item.affected_total, item.expires_at]
      const isOpen = ends.every(each => each === undefined)
      return expect(isOpen, 'a provider that is being removed has an end, by which TTL may delete it')
    }
    expect(linked.length === 0, 'a user is linked to a removed provider')
    expect(item.expires_at === removal?.retainedUntil, 'the tombstone ends at another time than its removal')
    expect(item.affected_total === ids.length, 'another number than that of the list is stored')
    expect(
      members.every(({ isUnlinked }) => isUnlinked),
      'a membership is without a mark',
    )
  }

  return {
    breaks: (promise: string) => expect(false, promise),
    moved: (user: User | undefined) => void (user && movedUsers.set(user.id, user)),
    erased: (id: string) => void erasedIds.add(id),
    answered(answer: Answer) {
      if (answer === 'provider_not_found') expect(false, `a client receives ${answer} and no list`)
      else lists.push(answer)
    },
    hasBegun: () => hasBegun,
    observe: async () => observe(await scenario.state()),
    /** After the last answer: all broken promises. */
    async end(clients: number): Promise<string[]> {
      const state = await scenario.state()
      observe(state)
      expect(state.provider?.state === 'removed', 'the removal never ended')
      expect(lists.length >= clients, 'a client never received the list')
      const linked = withoutErased(linkedAtStart)
      for (const list of lists.map(withoutErased))
        expect(isSame(list, linked), `${list.length} users are listed, ${linked.length} were linked`)
      const [last = []] = lists.slice(-1)
      expect(isSame(withoutErased(last), await scenario.attempt()), 'the next DELETE has another answer')
      return [...broken]
    },
  }
}
