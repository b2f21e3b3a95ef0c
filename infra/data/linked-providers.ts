import { type Links, linksTo, type ProviderRecord } from '../../lib/domain/provider.ts'
import type { SamlProvider } from '../../lib/domain/resources.ts'

/** The id of its SSO provider. */
export const ssoIdOf = ({ sso_provider_id: { int32, valid } }: SamlProvider) => (valid ? int32 : undefined)

/** Returns a function that finds the providers of a user's links, each once. */
export function linkedProviders(providers: readonly ProviderRecord[]) {
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const bySso = Map.groupBy(providers, ({ resource }) => ssoIdOf(resource))
  return ({ saml_provider_id: saml, sso_provider_id: sso }: Links): readonly ProviderRecord[] => {
    const own = saml.valid ? byId.get(saml.int32) : undefined
    const shared = sso.valid ? (bySso.get(sso.int32) ?? []) : []
    return own === undefined || shared.includes(own) ? shared : [own, ...shared]
  }
}

/** Returns a function that finds the id of another one of these providers with the SSO provider of the given one. */
export function ssoRivals(providers: readonly SamlProvider[]) {
  const bySso = Map.groupBy(providers, ssoIdOf)
  return ({ id, sso_provider_id: sso }: SamlProvider): number | undefined =>
    sso.valid ? bySso.get(sso.int32)?.find(other => other.id !== id)?.id : undefined
}

/** The links, without those to the provider. */
export function linksWithout({ saml_provider_id, sso_provider_id }: Links, provider: SamlProvider): Links {
  const left = { saml_provider_id, sso_provider_id }
  for (const name of linksTo(provider, left)) left[name] = { int32: 0, valid: false }
  return left
}
