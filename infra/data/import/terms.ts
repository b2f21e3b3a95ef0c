import type { Links, ProviderRecord } from '../../../lib/domain/provider.ts'
import type { linkedProviders } from '../linked-providers.ts'
import type { Data } from '../open-data.ts'

/** The context of the writes of an import. */
export interface Terms {
  data: Data
  /** The providers that the import creates, as they will be read. */
  fresh: readonly ProviderRecord[]
  /** The ids of the users who have a membership of these providers, by the provider's id. */
  members: ReadonlyMap<number, ReadonlySet<string>>
  /** Finds the providers of links, among those in the table and those that the import creates. */
  linkedTo: ReturnType<typeof linkedProviders>
  /** Only read. */
  isTrial: boolean
  /** Change users and providers in the table that differ from their records. */
  update: boolean
  signal: AbortSignal
}

/** Why a user with these links is refused; undefined if not. @param linked the providers of the links */
export function faultOfLinks(
  { saml_provider_id: { int32, valid } }: Links,
  linked: readonly ProviderRecord[],
): string | undefined {
  if (valid && !linked.some(({ resource }) => resource.id === int32))
    return `saml_provider_id names the provider ${int32}, which is neither in the table nor in the input`
  const fault = linked.map(faultOfState).find(one => one !== undefined)
  return fault && `${fault}: a user can no longer be linked to it`
}

/** Why a provider cannot be used; undefined if it can. */
export const faultOfState = ({ resource: { id }, state }: ProviderRecord): string | undefined =>
  ({
    active: undefined,
    removing: `the provider ${id} is being removed`,
    removed: `the provider ${id} was removed`,
  })[state]
