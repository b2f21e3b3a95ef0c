import { isUnlinked } from '../../lib/removal/members.ts'
import { defineDataCommand } from './command.ts'
import { interruptible } from './interruptible.ts'
import { providerOption, withMembers } from './members.ts'

export const affectedCommand = defineDataCommand(
  'affected',
  'Prints the users affected by a removal, as the DELETE answers them, in any number.',
  ' --provider 7 > affected.json',
)
  .addOption(providerOption)
  .action(typed =>
    interruptible(signal =>
      withMembers(typed, signal, async ({ found: { resource, state, removal }, members, say, print }) => {
        if (state === 'active')
          throw new Error(`Provider ${resource.id} is active, not removed: preview shows its users.`)
        if (state === 'removing') {
          const isDone = (member: (typeof members)[number]) =>
            removal !== undefined && isUnlinked(member, removal)
          const unlinked = members.filter(isDone).length
          say(
            `The removal is unfinished, ${unlinked} of ${members.length} users are unlinked: send the DELETE again.`,
          )
        }
        await print()
      }),
    ),
  )
