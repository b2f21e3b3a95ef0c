import type { User } from '../../lib/domain/resources.ts'
import { eraseUser } from '../../infra/data/membership/unlink.ts'
import { linkUser, moveUser } from '../../infra/data/membership/link.ts'
import { membershipItem, userItem } from '../../lib/store/items.ts'
import { int32, sampleUser, userId } from '../support/samples.ts'
import type { Scenario } from './scenario.ts'

const never = new AbortController().signal
const at = '2026-05-05T05:05:05.555Z'

/** Other writers, which keep the rules of infra/data/membership/README.md. */
export function writers({ provider: { id }, memberships, findUser, put }: Scenario) {
  return {
    /** Links a new user, although the provider is not active. */
    linkAgainstTheRules: () =>
      put([userItem(sampleUser(id + 9999, { saml: id })), membershipItem(id, userId(id + 9999))]),

    /** Links a user without a link to the provider. */
    link: (user: User) =>
      linkUser(memberships, user.id, { saml_provider_id: int32(id), sso_provider_id: int32() }, at, never),

    /** Moves a user to a provider of another protocol. @returns the user after the move */
    async move(user: User): Promise<User | undefined> {
      const elsewhere = { saml_provider_id: int32(), sso_provider_id: int32(id + 500) }
      await moveUser(memberships, user.id, elsewhere, at, never)
      return findUser(user.id)
    },

    /** Erases a user. */
    erase: (user: User) => eraseUser(memberships, user.id, never),
  }
}
