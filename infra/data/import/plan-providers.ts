import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { type SamlProvider, samlProviderShape } from '../../../lib/domain/resources.ts'
import { providerItem } from '../../../lib/store/items.ts'
import { ssoRivals } from '../linked-providers.ts'
import type { ProviderEntry } from './checked-record.ts'
import { difference } from './difference.ts'
import { type Outcome, refused, there, written } from './report.ts'

/** A provider of the input, and what is planned: it will be written, or updated, or stays as it is. */
export interface PlannedProvider {
  entry: ProviderEntry
  outcome: Outcome
}

/**
 * Decides about the providers of the input.
 *
 * @param knownById the providers in the table
 * @param traces the ids of providers of which a removal has left memberships
 * @param update whether a provider in the table that differs is to be updated
 */
export function planProviders(
  entries: readonly ProviderEntry[],
  knownById: ReadonlyMap<number, ProviderRecord>,
  traces: ReadonlySet<number>,
  update: boolean,
): PlannedProvider[] {
  const ids = new Set<number>()
  const active = [...knownById.values()].filter(isListed).map(({ resource }) => resource)
  const idByName = new Map(active.map(({ name, id }) => [name, id]))
  const unknown = entries.map(({ provider }) => provider).filter(({ id }) => !knownById.has(id))
  // Nobody knows which of several providers of the input is meant by its users.
  const rivalOf = ssoRivals([...active, ...unknown])

  const asNew = (provider: SamlProvider): Outcome => {
    const { id, sso_provider_id: sso } = provider
    if (traces.has(id))
      return refused(
        `memberships are left of the provider ${id}, which was removed: its id cannot be used yet`,
      )
    const rival = rivalOf(provider)
    if (rival === undefined) return written
    return refused(`the sso_provider_id ${sso.int32} is also that of the provider ${rival}`)
  }
  const decide = (entry: ProviderEntry): Outcome => {
    const { id, name } = entry.provider
    if (ids.has(id)) return refused(`the provider ${id} is already in the input`)
    const found = knownById.get(id)
    const outcome = found === undefined ? asNew(entry.provider) : beside(found, entry, update)
    const namesake = idByName.get(name) ?? id
    const isTaken = namesake !== id && ['written', 'updated'].includes(outcome.is)
    return isTaken ? refused(`the name ${JSON.stringify(name)} is that of the provider ${namesake}`) : outcome
  }

  return entries.map(entry => {
    const outcome = decide(entry)
    const { id, name } = entry.provider
    ids.add(id)
    if (outcome.is === 'written' || outcome.is === 'updated') idByName.set(name, id)
    return { entry, outcome }
  })
}

/** The plan for a provider that is in the table. */
function beside({ state, resource }: ProviderRecord, entry: ProviderEntry, update: boolean): Outcome {
  const { id } = resource
  if (state === 'removed') return refused(`the provider ${id} was removed: its id cannot be used yet`)
  if (state === 'removing') return refused(`the provider ${id} is being removed`)
  const stored = providerItem(resource, 0)
  const fields = Object.keys(difference(samlProviderShape, stored, entry.item, entry.leftOut))
  if (fields.length === 0) return there
  if (update && fields.includes('sso_provider_id'))
    return refused(
      `the provider ${id} has another sso_provider_id in the table, by which its users are linked: it cannot be changed`,
    )
  return { is: update ? 'updated' : 'differs', fields }
}
