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
  const idsOf = (links: Links) => linkedTo(links).map(({ resource }) => resource.id)

  return {
    fresh,
    /** The providers that the import creates, as they will be read. */
    made,
    /** The providers of the links that are in the table. */
    knownOf: (links: Links) => idsOf(links).filter(id => !freshIds.has(id)),
    /** The providers of the links that the import creates. */
    freshOf: (links: Links) => idsOf(links).filter(id => freshIds.has(id)),
    /** The providers that the links name, also one that does not exist. */
    namedBy: (links: Links) => {
      const { int32, valid } = links.saml_provider_id
      return [...new Set([...(valid ? [int32] : []), ...idsOf(links)])]
    },
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
