import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Item } from '../../../lib/store/items.ts'
import { nameOf } from '../../support/put-items.ts'
import type { PlantedFault } from './planting.ts'
import { validItems } from './valid-table.ts'

/** Random sets of faults about different providers and users, so that each is found as when it is alone. */
export function combinations(faults: readonly PlantedFault[], count: number): PlantedFault[] {
  const orders = fc.sample(fc.shuffledSubarray([...faults], { minLength: faults.length }), count)
  return orders.map(order => {
    const taken = new Set<string>()
    const chosen = order.filter(fault => {
      const ids = idsOf(fault)
      if (ids.some(id => taken.has(id))) return false
      for (const id of ids) taken.add(id)
      return true
    })
    return {
      name: chosen.map(({ name }) => name).join(' + '),
      plant: (items, nowMs) => {
        for (const { plant } of chosen) plant(items, nowMs)
      },
      found: chosen.flatMap(({ found }) => found),
    }
  })
}

/** The providers and users of the items that a fault changes and of those that have it, and what these users are linked to. */
function idsOf({ plant, found }: PlantedFault): string[] {
  const [before, after] = [validItems(0), validItems(0)]
  plant(after, 0)
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    name => !isDeepStrictEqual(before.get(name), after.get(name)),
  )
  const ids = [...changed, ...found.map(([key]) => nameOf(key))].flatMap(idsIn)
  const names = [...changed, ...ids.map(id => `${id} USER`)]
  return [...ids, ...names.flatMap(name => [before.get(name), after.get(name)].flatMap(linksIn))]
}

const linksIn = ({ saml_provider_id: saml, sso_provider_id: sso }: Item = {}) => [
  ...(saml === undefined ? [] : [`PROVIDER#${saml}`]),
  ...(sso === undefined ? [] : [`SSO#${sso}`]),
]

/** The ids in the key of an item, such as of `SAML_PROVIDER#7 USER#…`, as `PROVIDER#7` and `USER#…`. */
const idsIn = (name: string) =>
  [...name.matchAll(/USER#\S+|PROVIDER#\d+/g)].map(([id]) => id.replace(/PROVIDER#0+/, 'PROVIDER#'))
