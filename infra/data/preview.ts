import { isListed, linksTo, type ProviderRecord } from '../../lib/domain/provider.ts'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { allMembers, defineMembersCommand } from './members.ts'
import { say } from './progress.ts'
import { linkNames, viewOf } from './table/linked-providers.ts'

/** Returns a function that says whether a user can sign in without the provider: with a secret, or by another link. */
function otherWays(provider: SamlProvider, stored: readonly ProviderRecord[]) {
  const { namedBy } = viewOf(stored)
  return (user: User): boolean => {
    if (user.AuthSecret !== undefined) return true
    const lost = linksTo(provider, user)
    return linkNames.some(name => {
      if (!user[name].valid || lost.includes(name)) return false
      const named = namedBy(name, user)
      // Providers of other protocols are not in the table.
      return named.every(isListed) && (named.length > 0 || name === 'sso_provider_id')
    })
  }
}

export const previewCommand = defineMembersCommand({
  name: 'preview',
  purpose:
    'Prints the users that the removal of a provider would affect, and those who could no longer sign in. Only reads.',
  refusal: ({ state }) => {
    if (state === 'active') return undefined
    if (state === 'importing') return 'is being imported: nobody can remove it yet.'
    return `${state === 'removed' ? 'was removed' : 'is being removed'}: affected shows its users.`
  },
  members: allMembers,
  async remarks({ resource }, _, { table }, signal) {
    const hasOtherWay = otherWays(resource, await allProviders(table, signal))
    let users = 0
    let stranded = 0
    return {
      look(page) {
        users += page.length
        for (const user of page) {
          if (hasOtherWay(user)) continue
          stranded += 1
          say(`No other way to sign in: ${user.id} ${user.principal_name}`)
        }
      },
      sentence: () =>
        `${users} users would be affected, ${stranded} of them would have no other way to sign in.`,
    }
  },
})
