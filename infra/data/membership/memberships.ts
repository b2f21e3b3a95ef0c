import { isInt32 } from '../../../lib/domain/fields.ts'
import { isLinked, type Links } from '../../../lib/domain/provider.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { linksOf } from '../../../lib/store/items.ts'
import type { Clock } from '../../../lib/time.ts'
import { linksWithout } from '../linked-providers.ts'
import type { EraseOutcome, LinkOutcome, Memberships, MoveOutcome, UnlinkOutcome, UserLinks } from './api.ts'
import { type Calls, changeUser, type Decide, refusalOf, storedLinks } from './change.ts'

const never = new AbortController().signal

/** The changes of users by these calls. */
export function memberships({ clock, ...calls }: Calls & { clock: Clock }): Omit<Memberships, 'close'> {
  const change = <Outcome extends string>(
    userId: string,
    done: Outcome,
    signal: AbortSignal | undefined,
    decide: Decide<Outcome>,
  ) => {
    if (!isUserId(userId)) throw new TypeError('A user id is a UUID in lower case.')
    return changeUser(calls, userId, done, signal ?? never, decide)
  }
  const newLinks = (links: Links) => ({
    to: { links, values: { ...storedLinks(links), updated_at: new Date(clock.nowMs()).toISOString() } },
  })

  return {
    async link(userId, given, signal) {
      const links = linksIn(given)
      return change<LinkOutcome>(userId, 'linked', signal, (user, providers) => {
        const before = linksOf(user)
        if (before.saml_provider_id.valid || before.sso_provider_id.valid) return 'already_linked'
        return refusalOf(links, providers) ?? newLinks(links)
      })
    },
    async move(userId, given, signal) {
      const links = linksIn(given)
      const decide: Decide<MoveOutcome> = (_, providers) => refusalOf(links, providers) ?? newLinks(links)
      return change(userId, 'moved', signal, decide)
    },
    unlink: async (userId, samlProviderId, signal) =>
      change<UnlinkOutcome>(userId, 'unlinked', signal, (user, providers) => {
        const links = linksOf(user)
        const provider = providers.find(({ resource }) => resource.id === samlProviderId)?.resource
        if (provider === undefined) return 'provider_not_found'
        return isLinked(links, provider) ? newLinks(linksWithout(links, provider)) : 'not_linked'
      }),
    erase: async (userId, signal) =>
      change<EraseOutcome>(userId, 'erased', signal, () => ({ to: undefined })),
  }
}

const linksIn = ({ samlProviderId, ssoProviderId }: UserLinks): Links => ({
  saml_provider_id: linkOf(samlProviderId),
  sso_provider_id: linkOf(ssoProviderId),
})

function linkOf(id: number | null = null) {
  if (id !== null && !isInt32(id)) throw new TypeError('A link is a 32-bit integer, null or absent.')
  return { int32: id ?? 0, valid: id !== null }
}
