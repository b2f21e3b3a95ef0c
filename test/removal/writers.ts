import type { User } from '../../lib/domain/resources.ts'
import { eraseUser } from '../../lib/membership/erase.ts'
import { linkUser } from '../../lib/membership/link.ts'
import { unlinkUser } from '../../lib/membership/unlink.ts'
import { int32 } from '../support/samples.ts'
import type { Scene } from './scene.ts'

const never = new AbortController().signal
const at = '2026-05-05T05:05:05.555Z'

/** Other writers, as they are to write by lib/README.md, "Writing to the table". */
export function writers({ provider: { id }, memberships, findUser }: Scene) {
  return {
    /** A user who has no link yet signs in through the provider for the first time. */
    link: (user: User) =>
      linkUser(memberships, user.id, { saml_provider_id: int32(id), sso_provider_id: int32() }, at, never),

    /** A user goes over to another protocol's provider. @returns the user then */
    async move(user: User): Promise<User | undefined> {
      await unlinkUser(memberships, user.id, id, at, never)
      const elsewhere = { saml_provider_id: int32(), sso_provider_id: int32(id + 500) }
      await linkUser(memberships, user.id, elsewhere, at, never)
      return findUser(user.id)
    },

    /** A user is deleted for good. */
    forget: (user: User) => eraseUser(memberships, user.id, never),
  }
}
