import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { openDisplay } from './display.ts'
import { linksWithout } from './linked-providers.ts'
import { defineMembersCommand } from './members.ts'

/** Whether a user can sign in without the provider: with a secret, or through another provider. */
function hasOtherWay(user: User, provider: SamlProvider): boolean {
  const left = linksWithout(user, provider)
  return user.AuthSecret !== null || left.saml_provider_id.valid || left.sso_provider_id.valid
}

export const previewCommand = defineMembersCommand(
  'preview',
  'Prints the users that the removal of a provider would affect, and those who could no longer sign in. Only reads.',
  async ({ found: { resource, state }, print }) => {
    if (state !== 'active')
      throw new Error(
        `Provider ${resource.id} ${state === 'removed' ? 'was removed' : 'is being removed'}: affected shows its users.`,
      )
    let total = 0
    const stranded: User[] = []
    await print(page => {
      total += page.length
      stranded.push(...page.filter(user => !hasOtherWay(user, resource)))
    })
    const { say } = openDisplay()
    const end = stranded.length > 0 ? ':' : '.'
    say(
      `${total} users would be affected, ${stranded.length} of them would have no other way to sign in${end}`,
    )
    for (const { id, principal_name } of stranded) say(`${id} ${principal_name}`)
  },
)
