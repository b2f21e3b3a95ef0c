import { isDeepStrictEqual } from 'node:util'
import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { type Key, membershipKey, userIdOf, userKey } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import type { CheckedRecord } from './checked-record.ts'
import { insert } from './insert.ts'
import { joinInTurn } from './join.ts'
import { type Outcome, written } from './report.ts'
import type { Terms } from './terms.ts'
import { settle } from './update.ts'

const updatesAtOnce = 4
const keysPerRead = 100
const itemsPerWrite = 25

/**
 * Returns a function that writes users, none of whom is to be refused, and returns their outcomes: first the users, then their
 * memberships of the providers that the import creates. Users of providers in the table are written as other writers do it.
 */
export function userWriter(terms: Terms) {
  const { data, targets, isTrial, signal } = terms
  const join = joinInTurn(terms)
  // Where an import begins, no user is there; where it continues, most are. Reads cost less than inserts that fail.
  let isReadingFirst = true

  return async (records: readonly CheckedRecord[]): Promise<Outcome[]> => {
    const items = records.map(({ item }) => item)
    const found = await readItems(data, isReadingFirst || isTrial ? items.flatMap(keysFor) : [], signal)
    const isOfKnown = ({ item }: CheckedRecord) => targets.knownOf(linksOf(item)).length > 0
    const absent = records.filter(({ item }) => !found.has(nameOf(item)))
    const free = absent.filter(record => !isOfKnown(record)).map(({ item }) => item)
    const unclear = isTrial ? new Set() : await insertUsers(terms, free, found)
    if (!isTrial) {
      // For a user in the table, the stored links decide about memberships, not the record.
      const stored = items.map(item => found.get(nameOf(item))).filter(item => item !== undefined)
      await putMemberships(terms, [...stored, ...free.filter(item => !found.has(nameOf(item)))], found)
    }
    isReadingFirst = items.some(item => found.has(nameOf(item)))

    const joined = isTrial ? new Map() : await join(absent.filter(isOfKnown))
    const outcomes: Outcome[] = []
    await forEachConcurrently([...records.entries()], updatesAtOnce, async ([index, record]) => {
      const stored = found.get(nameOf(record.item))
      const isOwn =
        stored === undefined || (unclear.has(record.item) && isDeepStrictEqual(stored, record.item))
      outcomes[index] = isOwn ? (joined.get(record) ?? written) : await settle(terms, record, stored)
    })
    return outcomes
  }

  function keysFor(item: Item): Key[] {
    const userId = userIdOf(item)
    return [keyOf(item), ...targets.freshOf(linksOf(item)).map(id => membershipKey(id, userId))]
  }
}

const keyOf = (item: Item) => userKey(userIdOf(item))
const nameOf = ({ PK, SK }: Item | Key) => `${PK} ${SK}`

async function readItems({ table }: Data, keys: Key[], signal: AbortSignal): Promise<Map<string, Item>> {
  const found = new Map<string, Item>()
  for (const some of chunk(keys, keysPerRead))
    for (const item of await table.batchGet(some, signal)) found.set(nameOf(item), item)
  return found
}

/**
 * Inserts users who are not in the table.
 *
 * @param found gets those who are, after all
 * @returns those whom this import may have inserted itself before
 */
async function insertUsers({ data, signal }: Terms, users: Item[], found: Map<string, Item>) {
  const unclear = new Set<Item>()
  for (const batch of chunk(users, itemsPerWrite)) {
    const refusal = await insert(data, batch, signal)
    const occupied = await readItems(data, refusal.occupied.map(keyOf), signal)
    for (const [name, item] of occupied) found.set(name, item)
    for (const item of refusal.unclear) unclear.add(item)
  }
  return unclear
}

/** Puts the memberships of these users of new providers. @param found memberships that are in the table */
export async function putMemberships(
  { data, targets, signal }: Terms,
  users: readonly Item[],
  found: ReadonlyMap<string, Item> = new Map(),
): Promise<void> {
  const memberships = users
    .flatMap(item => targets.freshOf(linksOf(item)).map(id => membershipItem(id, userIdOf(item))))
    .filter(item => !found.has(nameOf(item)))
  for (const batch of chunk(memberships, itemsPerWrite)) await data.table.batchPut(batch, signal)
}
