import { isUnlinked } from '../../lib/removal/members.ts'
import { defineCommand } from '../command-line/command.ts'
import { interruptible } from './interruptible.ts'
import { providerOptions, withMembers } from './members.ts'
import { tableVariables } from './open-data.ts'

export const affectedCommand = defineCommand({
  name: 'npm run --silent data -- affected',
  purpose: 'Prints the users affected by a removal, as the DELETE answers them, in any number.',
  options: providerOptions,
  variables: tableVariables,
  example: 'npm run --silent data -- affected --table saml-providers-prod --provider 7 > affected.json',
  run: typed =>
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
})
