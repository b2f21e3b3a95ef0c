import { isListed, type Links, linksTo, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import type { linkedProviders } from '../linked-providers.ts'
import type { Data } from '../open-data.ts'

/** The context of the writes of an import. */
export interface Terms {
  data: Data
  /** The providers that the import creates, as they will be read. */
  fresh: readonly ProviderRecord[]
  /** The ids of the users who have a membership of these providers, by the provider's id. */
  members: Memberships
  /** Why no user's link to a provider may change, by its id: its record is not in the table, or its state there is unknown. */
  barred: ReadonlyMap<number, string>
  /** These providers, as the record has them and as they are stored. */
  held: readonly SamlProvider[]
  /** The place of a line that cannot be read and may be the record of any provider. */
  doubtfulPlace: string | undefined
  /** Only read. */
  isTrial: boolean
  /** Change users and providers in the table that differ from their records. */
  update: boolean
  signal: AbortSignal
}

export type Memberships = ReadonlyMap<number, ReadonlySet<string>>

const noLink = { int32: 0, valid: false }

/** The links of a record that can be used, the ids of the providers of the others, and why a user with them is refused. */
interface Usable {
  links: Links
  leftOut: number[]
  fault?: string
}

/**
 * Finds which links of a record can be used. A link to a provider that was removed here, or that is in neither the table nor
 * the input, is left out, so that an import goes on after a removal. A link to an active provider stays. While a line may be
 * the provider's record, the user waits for it.
 */
export function usableLinks(
  links: Links,
  linkedTo: ReturnType<typeof linkedProviders>,
  { barred, doubtfulPlace }: Pick<Terms, 'barred' | 'doubtfulPlace'>,
): Usable {
  const usable: Usable = { links: { ...links }, leftOut: [] }
  const { saml_provider_id: saml } = links
  const [own] = saml.valid ? linkedTo({ ...links, sso_provider_id: noLink }) : []
  if (saml.valid && (own === undefined || !isListed(own))) {
    const fault = own === undefined ? barred.get(saml.int32) : undefined
    if (fault !== undefined) return { ...usable, fault }
    if (own === undefined && doubtfulPlace !== undefined)
      return { ...usable, fault: `${maybeRecord(doubtfulPlace)} of the provider ${saml.int32}` }
    usable.leftOut.push(saml.int32)
    usable.links.saml_provider_id = noLink
  }
  const shared = linkedTo({ ...links, saml_provider_id: noLink })
  const gone = shared.filter(provider => !isListed(provider))
  if (gone.length === 0) return usable
  if (gone.length < shared.length) {
    const removing = gone.find(({ state }) => state === 'removing')
    // Of a removed one, no user is linked any more: the link is to the active one.
    if (removing === undefined) return usable
    return {
      ...usable,
      fault: `the provider ${removing.resource.id}, which is being removed, and another one have its sso_provider_id`,
    }
  }
  const goneIds = gone.map(({ resource }) => resource.id)
  usable.leftOut.push(...goneIds.filter(id => !usable.leftOut.includes(id)))
  usable.links.sso_provider_id = noLink
  return usable
}

/**
 * Why the links of a user do not change; undefined if they may. Where it is not known whose record cannot be read, a user may
 * still join a provider.
 *
 * @param providers as they will be
 */
export function faultOfChange(
  before: Links,
  after: Links,
  { barred, held, doubtfulPlace }: Pick<Terms, 'barred' | 'held' | 'doubtfulPlace'>,
  providers: readonly ProviderRecord[],
): string | undefined {
  const changed = held.find(one => linksTo(one, before).join() !== linksTo(one, after).join())
  if (changed !== undefined) return `${barred.get(changed.id)}, and the link of the user to it would change`
  if (doubtfulPlace === undefined) return undefined
  const loses = (one: SamlProvider) => linksTo(one, before).some(name => !linksTo(one, after).includes(name))
  const left = providers.filter(isListed).find(({ resource }) => loses(resource))
  return (
    left &&
    `${maybeRecord(doubtfulPlace)} of the provider ${left.resource.id}, whose link the user would lose`
  )
}

export const recordAbsent = (providerId: number) =>
  `the record of the provider ${providerId} is not in the table`

export const unknownState = (providerId: number) =>
  `the state of the provider ${providerId} in the table is unknown`

const maybeRecord = (place: string) => `${place} cannot be read, and may be the record`
