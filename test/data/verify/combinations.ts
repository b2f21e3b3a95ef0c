import fc from 'fast-check'
import type { Planted } from './planted-faults.ts'
import { changed, validTable } from './valid-table.ts'

/** Random sets of faults about different providers and users, so that each is found as when it is alone. */
export const combinations = (faults: readonly Planted[], count: number): Planted[] =>
  fc.sample(fc.shuffledSubarray([...faults], { minLength: faults.length }), count).map(order => {
    const taken = new Set<string>()
    const chosen = order.filter(fault => {
      const ids = idsOf(fault)
      const isFree = !ids.some(id => taken.has(id))
      if (isFree) for (const id of ids) taken.add(id)
      return isFree
    })
    const all = <Name extends 'changes' | 'found' | 'left' | 'after'>(name: Name): Planted[Name] =>
      Object.assign({}, ...chosen.map(one => one[name]))
    const name = chosen.map(one => one.name).join(' + ')
    return { name, changes: all('changes'), found: all('found'), left: all('left'), after: all('after') }
  })

/** The providers and users of the items of a fault, and what these users and providers are linked to. */
function idsOf({ changes, found, left, after }: Planted): string[] {
  const names = Object.keys({ ...changes, ...found, ...left, ...after })
  const ids = names.flatMap(name => name.replace(/^M(\d+)\.(\d+)$/, 'P$1 U$2').split(' '))
  const items = [validTable, changed(validTable, changes)].flatMap(table => ids.map(id => table[id] ?? {}))
  const links = items.flatMap(({ saml_provider_id: saml, sso_provider_id: sso }) => [`P${saml}`, `S${sso}`])
  return [...ids, ...links.filter(link => !link.endsWith('undefined'))]
}
