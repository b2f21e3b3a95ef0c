import { isLinked, type Links } from '../domain/provider.ts'
import { changeUser } from './change-user.ts'
import type { MembershipStore } from './ports.ts'

/** The outcome of {@link linkUser}. */
export type LinkOutcome =
  | 'linked'
  | 'user_not_found'
  /** The user has a link to some provider; only one is allowed. */
  | 'already_linked'
  | 'provider_not_found'
  /** The provider is being removed or was removed. */
  | 'provider_not_active'

/**
 * Links a user who has no link to the providers that the links name; each of them gets a membership.
 *
 * @param links an `sso_provider_id` that no SAML provider has belongs to another protocol and makes no membership
 * @param updatedAt ISO 8601 UTC with milliseconds
 * @throws Failure `table_busy`; the signal's reason
 */
export const linkUser = (
  store: MembershipStore,
  userId: string,
  links: Links,
  updatedAt: string,
  signal: AbortSignal,
): Promise<LinkOutcome> =>
  changeUser(store, userId, signal, async (from, providers) => {
    if (from.links.saml_provider_id.valid || from.links.sso_provider_id.valid) return 'already_linked'
    const named = providers.filter(({ resource }) => isLinked(links, resource))
    const { saml_provider_id: saml } = links
    if (saml.valid && !named.some(({ resource }) => resource.id === saml.int32)) return 'provider_not_found'
    if (named.some(({ state }) => state !== 'active')) return 'provider_not_active'
    const joined = named.map(({ resource }) => resource.id)
    if ((await store.membershipsOf(userId, joined, signal)).length > 0) return 'already_linked'
    const change = { userId, from, to: { links, updatedAt }, joined, left: [] }
    return (await store.apply(change, signal)) ? 'linked' : undefined
  })
