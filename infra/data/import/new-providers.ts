import { isDeepStrictEqual } from 'node:util'
import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { ssoRivals } from '../linked-providers.ts'
import type { ProviderEntry } from './check.ts'
import type { Note } from './report.ts'

/**
 * The providers of the input to create; records the outcome of the others.
 *
 * @param knownById the providers in the table
 * @param traces the ids of providers of which a removal has left memberships
 */
export function freshProviders(
  entries: readonly ProviderEntry[],
  knownById: ReadonlyMap<number, ProviderRecord>,
  traces: ReadonlySet<number>,
  note: Note,
): ProviderEntry[] {
  const fresh: ProviderEntry[] = []
  const ids = new Set<number>()
  const active = [...knownById.values()].filter(isListed).map(({ resource }) => resource)
  const names = new Map(active.map(({ name, id }) => [name, id]))
  const unknown = entries.map(({ provider }) => provider).filter(({ id }) => !knownById.has(id))
  // Nobody knows which of several providers of the input is meant by its users.
  const rivalOf = ssoRivals([...active, ...unknown])
  const faultOfNew = (provider: SamlProvider) => {
    const { id, name, sso_provider_id: sso } = provider
    const rival = rivalOf(provider)
    if (traces.has(id))
      return `memberships are left of the provider ${id}, which was removed: its id cannot be used yet`
    if (names.has(name)) return `the name ${JSON.stringify(name)} is that of the provider ${names.get(name)}`
    return rival === undefined
      ? undefined
      : `the sso_provider_id ${sso.int32} is also that of the provider ${rival}`
  }

  for (const { place, provider } of entries) {
    const { id, name } = provider
    const found = knownById.get(id)
    const fault = ids.has(id)
      ? `the provider ${id} is already in the input`
      : found === undefined
        ? faultOfNew(provider)
        : faultBeside(found, provider)
    ids.add(id)
    if (fault !== undefined) note('providers', place, { fault })
    else if (found !== undefined) note('providers', place, 'there')
    else {
      fresh.push({ place, provider })
      names.set(name, id)
    }
  }
  return fresh
}

function faultBeside({ state, resource }: ProviderRecord, provider: SamlProvider): string | undefined {
  if (state === 'removed') return `the provider ${resource.id} was removed: its id cannot be used yet`
  if (state === 'removing') return `the provider ${resource.id} is being removed`
  if (isDeepStrictEqual(resource, provider)) return undefined
  return `the provider ${resource.id} is in the table with other values and is not changed`
}
