import type { Links, ProviderRecord } from '../../lib/domain/provider.ts'
import { nullableInt32 } from '../../lib/domain/fields.ts'
import type { SamlProvider } from '../../lib/domain/resources.ts'
import type { Item } from '../../lib/store/items.ts'

/** The links of a user's item. */
export const linksOf = (item: Item): Links => ({
  saml_provider_id: nullableInt32.decode(item.saml_provider_id),
  sso_provider_id: nullableInt32.decode(item.sso_provider_id),
})

const ssoOf = ({ sso_provider_id: { int32, valid } }: SamlProvider) => (valid ? int32 : undefined)

/** Returns a function that finds the providers of a user's links, each once. */
export function linkedProviders(providers: readonly ProviderRecord[]) {
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const bySso = Map.groupBy(providers, ({ resource }) => ssoOf(resource))
  return ({ saml_provider_id: saml, sso_provider_id: sso }: Links): readonly ProviderRecord[] => {
    const own = saml.valid ? byId.get(saml.int32) : undefined
    const shared = sso.valid ? (bySso.get(sso.int32) ?? []) : []
    return own === undefined || shared.includes(own) ? shared : [own, ...shared]
  }
}

/** Returns a function that finds the id of another one of these providers with the SSO provider of the given one. */
export function ssoRivals(providers: readonly SamlProvider[]) {
  const bySso = Map.groupBy(providers, ssoOf)
  return ({ id, sso_provider_id: sso }: SamlProvider): number | undefined =>
    sso.valid ? bySso.get(sso.int32)?.find(other => other.id !== id)?.id : undefined
}
