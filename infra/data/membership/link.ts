import { isLinked, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { Item } from '../../../lib/store/items.ts'
import type { LinkOutcome, MoveOutcome, Refusal } from './api.ts'
import { linksOf } from '../linked-providers.ts'
import { apply, type Calls, changeUser, membershipsOf, type NewLinks } from './change.ts'

/**
 * Links a user who has no link to the providers that the links name; each of them gets a membership.
 *
 * @param links an `sso_provider_id` that no SAML provider has belongs to another protocol and makes no membership
 * @param updatedAt ISO 8601 UTC with milliseconds; undefined: the user has none
 * @throws Failure `table_busy`; the signal's reason
 */
export const linkUser = (
  calls: Calls,
  userId: string,
  links: Links,
  updatedAt: string | undefined,
  signal: AbortSignal,
): Promise<LinkOutcome> =>
  changeUser(calls, userId, signal, async (user, providers) => {
    const { saml_provider_id: saml, sso_provider_id: sso } = linksOf(user)
    if (saml.valid || sso.valid) return 'already_linked'
    return changeLinks(calls, user, { links, updatedAt }, providers, 'linked', signal)
  })

/**
 * Replaces a user's links in one transaction: a provider that is no longer linked loses its membership, one that is newly
 * linked gets one. The membership of a provider that is being removed or was removed stays.
 *
 * @param links the links after the move, as for {@link linkUser}
 * @param updatedAt ISO 8601 UTC with milliseconds
 * @throws Failure `table_busy`; the signal's reason
 */
export const moveUser = (
  calls: Calls,
  userId: string,
  links: Links,
  updatedAt: string,
  signal: AbortSignal,
): Promise<MoveOutcome> =>
  changeUser(calls, userId, signal, (user, providers) =>
    changeLinks(calls, user, { links, updatedAt }, providers, 'moved', signal),
  )

/** @returns undefined when a stored value has changed since it was read */
async function changeLinks<Done>(
  calls: Calls,
  user: Item,
  to: NewLinks,
  providers: readonly ProviderRecord[],
  done: Done,
  signal: AbortSignal,
): Promise<Done | Refusal | undefined> {
  const before = linksOf(user)
  const named = providers.filter(({ resource }) => isLinked(to.links, resource))
  const { saml_provider_id: saml } = to.links
  if (saml.valid && !named.some(({ resource }) => resource.id === saml.int32)) return 'provider_not_found'
  if (named.some(({ state }) => state !== 'active')) return 'provider_not_active'
  const joined = named
    .filter(({ resource }) => !isLinked(before, resource))
    .map(({ resource }) => resource.id)
  if ((await membershipsOf(calls, user, joined, signal)).length > 0) return 'already_linked'
  return (await apply(calls, { user, to, joined }, providers, signal)) ? done : undefined
}
