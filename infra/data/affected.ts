import { isUnlinked } from '../../lib/removal/members.ts'
import { openDisplay } from './display.ts'
import { defineMembersCommand } from './members.ts'

export const affectedCommand = defineMembersCommand(
  'affected',
  'Prints the users affected by a removal, as the DELETE answers them, in any number.',
  async ({ found: { resource, state, removal }, members, print }) => {
    if (state === 'active')
      throw new Error(`Provider ${resource.id} is active, not removed: preview shows its users.`)
    if (state === 'removing') {
      const unlinked = members.filter(member => removal && isUnlinked(member, removal)).length
      openDisplay().say(
        `The removal is unfinished, ${unlinked} of ${members.length} users are unlinked: send the DELETE again.`,
      )
    }
    await print()
  },
)
