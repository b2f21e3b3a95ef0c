import { isListed, linksTo, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { rivalsBy, ssoIdOf } from '../table/linked-providers.ts'
import { scanUsers } from '../table/scan.ts'
import { isImported, isWritten, type PlannedProvider } from './compare-providers.ts'
import type { Terms } from './terms.ts'

/**
 * Tells the faults of the providers that are to be written, as all providers will be after the import.
 *
 * @param afterwards all providers then
 */
export async function tellProviderFaults(
  terms: Terms,
  providers: readonly PlannedProvider[],
  afterwards: readonly ProviderRecord[],
): Promise<void> {
  const among = (...states: ProviderRecord['state'][]) =>
    afterwards.filter(({ state }) => states.includes(state)).map(({ resource }) => resource)
  const namesakeOf = rivalsBy(({ name }) => name, among('importing', 'active'))
  const rivalOf = rivalsBy(ssoIdOf, among('importing', 'active', 'removing'))
  for (const planned of providers.filter(isWritten)) {
    const { resource } = planned.after
    const rival = brings(planned, 'sso_provider_id') && rivalOf(resource)
    const namesake = brings(planned, 'name') && namesakeOf(resource)
    const faults = [
      rival && `the sso_provider_id ${ssoIdOf(resource)} is also that of the provider ${rival}`,
      namesake && `the name ${JSON.stringify(resource.name)} is that of the provider ${namesake}`,
      await ssoFault(terms, planned),
    ]
    for (const fault of faults) if (fault) terms.report.fault(planned, fault)
  }
}

/** Whether the import gives a provider the value of this field. */
const brings = (planned: PlannedProvider, field: string) => isImported(planned) || field in planned.values

const wayOut = 'set the attribute in the table, run verify --repair, and import again'

/** An active provider takes its first `sso_provider_id`, if nobody in the table becomes linked by it. */
async function ssoFault(
  terms: Terms,
  { stored, values, after }: PlannedProvider,
): Promise<string | undefined> {
  if (!isListed(after) || !('sso_provider_id' in values)) return undefined
  const before = stored?.sso_provider_id ?? undefined
  if (before !== undefined)
    return `an import does not change the sso_provider_id of a provider in use, by which users are linked: ${wayOut}`
  const { id } = after.resource
  const users = await countGained(terms, after.resource)
  return users > 0
    ? `${users} users in the table would become linked to the provider ${id} by its first sso_provider_id: import these users with saml_provider_id ${id} first, or ${wayOut}`
    : undefined
}

/** @returns how many users in the table are linked to a provider by its `sso_provider_id` alone */
async function countGained({ data, signal }: Terms, provider: SamlProvider): Promise<number> {
  let users = 0
  const count = (page: Item[]) => {
    const namesOf = (user: Item) => linksTo(provider, linksOf(user)).join()
    users += page.filter(user => namesOf(user) === 'sso_provider_id').length
  }
  await scanUsers(data, count, signal)
  return users
}
