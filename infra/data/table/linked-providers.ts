import type { Links, ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { providerIdOf, providers } from '../../../lib/store/keys.ts'
import type { Table } from '../../../lib/store/table.ts'

/** Reads the providers of the table, by id ascending, also those whose state cannot be read. */
export const storedProviders = (table: Table, signal: AbortSignal): Promise<Item[]> =>
  table.query(providers, item => (providerIdOf(item) === undefined ? undefined : item), signal)

/** The id of its SSO provider. */
export const ssoIdOf = ({ sso_provider_id: { int32, valid } }: SamlProvider) => (valid ? int32 : undefined)

/** The providers that links can name. */
export interface View {
  providers: readonly ProviderRecord[]
  /** The providers of a user's links, each once. */
  linkedTo(links: Links): readonly ProviderRecord[]
}

export function viewOf(providers: readonly ProviderRecord[]): View {
  const byId = new Map(providers.map(provider => [provider.resource.id, provider]))
  const bySso = Map.groupBy(providers, ({ resource }) => ssoIdOf(resource))
  return {
    providers,
    linkedTo({ saml_provider_id: saml, sso_provider_id: sso }) {
      const own = saml.valid ? byId.get(saml.int32) : undefined
      const shared = sso.valid ? (bySso.get(sso.int32) ?? []) : []
      return own === undefined || shared.includes(own) ? shared : [own, ...shared]
    },
  }
}

/** Returns a function that finds the id of another one of these providers with the same key; undefined is none. */
export function rivalsBy(keyOf: (provider: SamlProvider) => unknown, providers: readonly SamlProvider[]) {
  const byKey = Map.groupBy(providers, keyOf)
  return (provider: SamlProvider): number | undefined => {
    const key = keyOf(provider)
    return key === undefined ? undefined : byKey.get(key)?.find(({ id }) => id !== provider.id)?.id
  }
}
