import { Failure } from '../../lib/domain/failure.ts'
import { isUnlinked, listedMembers, readList } from '../../lib/removal/members.ts'
import { allMembers, defineMembersCommand } from './members.ts'

export const affectedCommand = defineMembersCommand({
  name: 'affected',
  purpose: 'Prints the users affected by a removal, as the DELETE answers them, in any number.',
  refusal: ({ state }) =>
    state === 'active' || state === 'importing'
      ? `is ${state}, not removed: preview shows its users.`
      : undefined,
  async members(store, record, signal) {
    const { resource, state } = record
    if (state !== 'removed') return allMembers(store, record, signal)
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
  remarks: async ({ state, removal }, members) => ({
    sentence() {
      if (state !== 'removing') return undefined
      const unlinked = members.filter(member => removal && isUnlinked(member, removal)).length
      return `The removal is unfinished, ${unlinked} of ${members.length} users are unlinked: send the DELETE again.`
    },
  }),
})
