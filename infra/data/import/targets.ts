import type { Links, ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { linkedProviders } from '../linked-providers.ts'

/** The providers that a user may be linked to: those in the table and those that the import creates. */
export type LinkTargets = ReturnType<typeof linkTargets>

export function linkTargets(known: readonly ProviderRecord[], fresh: readonly SamlProvider[]) {
  const made = fresh.map(
    (resource): ProviderRecord => ({ resource, state: 'active', memberCount: 0, removal: undefined }),
  )
  const freshIds = new Set(fresh.map(({ id }) => id))
  const linkedTo = linkedProviders([...known, ...made])

  return {
    /** Whether a link names a provider in the table. */
    isOfKnown: (links: Links) => linkedTo(links).some(({ resource }) => !freshIds.has(resource.id)),
    /** The providers of the links that the import creates. */
    freshOf: (links: Links) =>
      linkedTo(links).flatMap(({ resource }) => (freshIds.has(resource.id) ? resource.id : [])),
    /** Why a user with these links is refused; undefined if not. */
    faultOf(links: Links): string | undefined {
      const { int32, valid } = links.saml_provider_id
      const linked = linkedTo(links)
      if (valid && !linked.some(({ resource }) => resource.id === int32))
        return `saml_provider_id names the provider ${int32}, which is neither in the table nor in the input`
      const closed = linked.find(({ state }) => state !== 'active')
      if (closed === undefined) return undefined
      const { resource, state } = closed
      return `the provider ${resource.id} ${state === 'removed' ? 'was removed' : 'is being removed'}: a user can no longer be linked to it`
    },
  }
}
