import { isOpen, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { providerIdOf, providers } from '../../../lib/store/keys.ts'
import type { Table } from '../../../lib/store/table.ts'

/** The fields of a user that link it. */
export const linkNames = ['saml_provider_id', 'sso_provider_id'] as const

/** Reads the providers of the table, by id ascending, also those whose state cannot be read. */
export const storedProviders = (table: Table, signal: AbortSignal): Promise<Item[]> =>
  table.query(providers, item => (providerIdOf(item) === undefined ? undefined : item), signal)

/** The id of its SSO provider. */
export const ssoIdOf = ({ sso_provider_id: { int32, valid } }: SamlProvider) => (valid ? int32 : undefined)

/** The providers that links can name. */
export type View = ReturnType<typeof viewOf>

export function viewOf(providers: readonly ProviderRecord[]) {
  const byId = Map.groupBy(providers, ({ resource }): number | undefined => resource.id)
  const bySso = Map.groupBy(providers, ({ resource }) => ssoIdOf(resource))
  /** The providers that one link of a user names. */
  const namedBy = (name: keyof Links, links: Links): readonly ProviderRecord[] => {
    const { int32, valid } = links[name]
    return (valid && (name === 'saml_provider_id' ? byId : bySso).get(int32)) || []
  }
  /** The providers that both links of a user name, each once. */
  const linkedTo = (links: Links) => [...new Set(linkNames.flatMap(name => namedBy(name, links)))]
  return {
    namedBy,
    linkedTo,
    /** Those of which such a user has a membership that other writers may change. */
    openTo: (links: Links) => linkedTo(links).filter(isOpen),
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
