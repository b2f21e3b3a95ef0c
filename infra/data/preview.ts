import { linksTo } from '../../lib/domain/provider.ts'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { allMembers, defineMembersCommand } from './members.ts'
import { linkNames } from './membership/change-users.ts'
import { say } from './progress.ts'

/** Whether a user can sign in without the provider: with a secret, or through another provider. */
function hasOtherWay(user: User, provider: SamlProvider): boolean {
  const lost = linksTo(provider, user)
  return user.AuthSecret !== null || linkNames.some(name => user[name].valid && !lost.includes(name))
}

export const previewCommand = defineMembersCommand({
  name: 'preview',
  purpose:
    'Prints the users that the removal of a provider would affect, and those who could no longer sign in. Only reads.',
  refusal: ({ state }) => {
    if (state === 'active') return undefined
    return `${state === 'removed' ? 'was removed' : 'is being removed'}: affected shows its users.`
  },
  members: allMembers,
  remarks({ resource }) {
    let users = 0
    let stranded = 0
    return {
      look(page) {
        users += page.length
        for (const user of page) {
          if (hasOtherWay(user, resource)) continue
          stranded += 1
          say(`No other way to sign in: ${user.id} ${user.principal_name}`)
        }
      },
      sentence: () =>
        `${users} users would be affected, ${stranded} of them would have no other way to sign in.`,
    }
  },
})
