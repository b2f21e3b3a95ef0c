import type { Links, ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'

/** The providers that a user may be linked to: those of the table, and those that the import makes. */
export interface Directory {
  /** Those of the providers that the links name that the import makes. */
  freshOf(links: Links): number[]
  /** Whether the links name a provider of the table. */
  isOfKnown(links: Links): boolean
  /** Why a user with these links may not go in. */
  faultOf(links: Links): string | undefined
}

export function directory(known: readonly ProviderRecord[], fresh: readonly SamlProvider[]): Directory {
  const made = fresh.map(
    (resource): ProviderRecord => ({ resource, state: 'active', memberCount: 0, removal: undefined }),
  )
  const freshIds = new Set(fresh.map(({ id }) => id))
  const all = [...known, ...made]
  const byId = new Map(all.map(provider => [provider.resource.id, provider]))
  const bySso = Map.groupBy(
    all.filter(({ resource }) => resource.sso_provider_id.valid),
    ({ resource }) => resource.sso_provider_id.int32,
  )

  const linkedTo = ({ saml_provider_id: saml, sso_provider_id: sso }: Links) => {
    const own = saml.valid ? byId.get(saml.int32) : undefined
    const shared = sso.valid ? (bySso.get(sso.int32) ?? []) : []
    return own === undefined || shared.includes(own) ? shared : [own, ...shared]
  }

  return {
    isOfKnown: links => linkedTo(links).some(({ resource }) => !freshIds.has(resource.id)),
    freshOf: links =>
      linkedTo(links).flatMap(({ resource }) => (freshIds.has(resource.id) ? resource.id : [])),
    faultOf(links) {
      const { int32, valid } = links.saml_provider_id
      if (valid && !byId.has(int32))
        return `saml_provider_id names the provider ${int32}, which is neither in the table nor in the input`
      const closed = linkedTo(links).find(({ state }) => state !== 'active')
      if (closed === undefined) return undefined
      const { resource, state } = closed
      return `the provider ${resource.id} ${state === 'removed' ? 'was removed' : 'is being removed'}: a user is linked to it no more`
    },
  }
}
