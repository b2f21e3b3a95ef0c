import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { linksWithout } from './linked-providers.ts'
import { defineMembersCommand } from './members.ts'

/** Whether a user can sign in without the provider: with a secret, or through another provider. */
function hasOtherWay(user: User, provider: SamlProvider): boolean {
  const left = linksWithout(user, provider)
  return user.AuthSecret !== null || left.saml_provider_id.valid || left.sso_provider_id.valid
}

interface Counts {
  users: number
  /** Those who have no other way to sign in. */
  stranded: number
}

const sentence = ({ users, stranded }: Counts) =>
  `${users} users would be affected, ${stranded} of them would have no other way to sign in.`

export const previewCommand = defineMembersCommand<Counts>({
  name: 'preview',
  purpose:
    'Prints the users that the removal of a provider would affect, and those who could no longer sign in. Only reads.',
  all: 'All active providers: prints for each how many users that are.',
  refusal: ({ state }) => {
    if (state === 'active') return undefined
    return `${state === 'removed' ? 'was removed' : 'is being removed'}: affected shows its users.`
  },
  counts: () => ({ users: 0, stranded: 0 }),
  add(counts, page, provider, say) {
    const stranded = page.filter(user => !hasOtherWay(user, provider))
    for (const { id, principal_name } of stranded) say(`No other way to sign in: ${id} ${principal_name}`)
    counts.users += page.length
    counts.stranded += stranded.length
  },
  sentence,
  line: sentence,
})
