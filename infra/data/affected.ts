import { Failure } from '../../lib/domain/failure.ts'
import type { ProviderState } from '../../lib/domain/provider.ts'
import { isUnlinked, listedMembers, listedTotal, readList } from '../../lib/removal/members.ts'
import { allMembers, defineMembersCommand } from './members.ts'

interface Counts {
  state: ProviderState
  users: number
  unlinked: number
}

const ofThem = ({ users, unlinked }: Counts) => `${unlinked} of ${users} users are unlinked`

export const affectedCommand = defineMembersCommand<Counts>({
  name: 'affected',
  purpose: 'Prints the users affected by a removal, as the DELETE answers them, in any number.',
  all: 'All providers that are being removed or were removed: prints for each how many users are unlinked so far.',
  refusal: ({ state }) =>
    state === 'active' ? 'is active, not removed: preview shows its users.' : undefined,
  async members(store, record, signal) {
    const { resource, state } = record
    if (state !== 'removed') return allMembers(store, resource.id, signal)
    try {
      const { listed } = await readList(store, record, signal)
      return (await Array.fromAsync(listedMembers(store, record, listed, signal))).flat()
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'provider_not_found')) throw error
      throw new Error(
        `The list of provider ${resource.id} is not complete any more: memberships are gone, as TTL deletes them after the retention. A DELETE is answered 404, too. Restore a copy of the table from before, and run the command on it.`,
      )
    }
  },
  counts: (record, members) => {
    const { state, removal } = record
    const unlinked = members.filter(member => removal && isUnlinked(member, removal)).length
    const users = state === 'removed' ? (listedTotal(record) ?? unlinked) : members.length
    return { state, users, unlinked }
  },
  sentence: counts =>
    counts.state === 'removing'
      ? `The removal is unfinished, ${ofThem(counts)}: send the DELETE again.`
      : undefined,
  line: counts => `${counts.state}, ${ofThem(counts)}.`,
})
