import { isLinked, isListed, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { linksOf } from '../../../lib/store/items.ts'
import type { LinkOutcome, MoveOutcome, Refusal } from './api.ts'
import { type Calls, changeUser, newLinks } from './change.ts'

/**
 * Links a user who has no link to the providers that the links name; each of them gets a membership.
 *
 * @param links an `sso_provider_id` that no SAML provider has belongs to another protocol and makes no membership
 * @param updatedAt ISO 8601 UTC with milliseconds
 * @throws Failure `table_busy`; the signal's reason
 */
export const linkUser = (
  calls: Calls,
  userId: string,
  links: Links,
  updatedAt: string,
  signal: AbortSignal,
): Promise<LinkOutcome> =>
  changeUser<LinkOutcome>(calls, userId, 'linked', signal, (user, providers) => {
    const before = linksOf(user)
    if (before.saml_provider_id.valid || before.sso_provider_id.valid) return 'already_linked'
    return refusalOf(links, providers) ?? { to: newLinks(links, updatedAt) }
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
  changeUser<MoveOutcome>(
    calls,
    userId,
    'moved',
    signal,
    (_, providers) => refusalOf(links, providers) ?? { to: newLinks(links, updatedAt) },
  )

/** Why nobody gets these links; undefined if not. */
export function refusalOf(links: Links, providers: readonly ProviderRecord[]): Refusal | undefined {
  const named = providers.filter(({ resource }) => isLinked(links, resource))
  const { int32, valid } = links.saml_provider_id
  if (valid && !named.some(({ resource }) => resource.id === int32)) return 'provider_not_found'
  return named.every(isListed) ? undefined : 'provider_not_active'
}
