import type { ProviderState } from '../../lib/domain/provider.ts'
import { isUnlinked } from '../../lib/removal/members.ts'
import { defineMembersCommand } from './members.ts'

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
  counts: ({ state, removal }, members) => ({
    state,
    users: members.length,
    unlinked: members.filter(member => removal && isUnlinked(member, removal)).length,
  }),
  sentence: counts =>
    counts.state === 'removing'
      ? `The removal is unfinished, ${ofThem(counts)}: send the DELETE again.`
      : undefined,
  line: counts => `${counts.state}, ${ofThem(counts)}.`,
})
