import { isDeepStrictEqual } from 'node:util'
import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { type Key, membershipKey, userIdOf } from '../../../lib/store/keys.ts'
import { keyOf, placeOf } from '../conditions.ts'
import type { Data } from '../open-data.ts'
import type { CheckedRecord } from './checked-record.ts'
import { insert } from './insert.ts'
import { joinInTurn } from './join.ts'
import { type Outcome, refused, written } from './report.ts'
import type { Terms } from './terms.ts'
import { settle } from './update.ts'

const updatesAtOnce = 4
const keysPerRead = 100
const itemsPerWrite = 25

/**
 * Returns a function that writes users and returns their outcomes: first the users, then their memberships of the providers
 * that the import creates. Users of providers in the table are written as other writers do it.
 */
export function userWriter(terms: Terms) {
  const { data, targets, isTrial, signal } = terms
  const join = joinInTurn(terms)
  // Where an import begins, no user is there; where it continues, most are. Reads cost less than inserts that fail.
  let isReadingFirst = true

  return async (records: readonly CheckedRecord[]): Promise<Outcome[]> => {
    const faults = new Map(records.map(record => [record, targets.faultOf(linksOf(record.item))]))
    // A user in the table whose record is refused may be linked to a provider that the import creates.
    const first = records.filter(record => isReadingFirst || isTrial || faults.get(record) !== undefined)
    const found = await readItems(
      data,
      first.flatMap(({ item }) => keysFor(item)),
      signal,
    )
    const isOfKnown = ({ item }: CheckedRecord) => targets.knownOf(linksOf(item)).length > 0
    const absent = records.filter(
      record => faults.get(record) === undefined && !found.has(placeOf(record.item)),
    )
    const free = absent.filter(record => !isOfKnown(record)).map(({ item }) => item)
    const unclear = isTrial ? new Set() : await insertUsers(terms, free, found)
    const stored = records.map(({ item }) => found.get(placeOf(item))).filter(item => item !== undefined)
    // For a user in the table, the stored links decide about memberships, not the record.
    const present = [...stored, ...free.filter(item => !found.has(placeOf(item)))]
    if (!isTrial) await putMemberships(terms, present, found)
    isReadingFirst = stored.length > 0

    const joined = isTrial ? new Map() : await join(absent.filter(isOfKnown))
    const outcomes: Outcome[] = []
    await forEachConcurrently([...records.entries()], updatesAtOnce, async ([index, record]) => {
      const fault = faults.get(record)
      const there = found.get(placeOf(record.item))
      const isOwn = there === undefined || (unclear.has(record.item) && isDeepStrictEqual(there, record.item))
      if (fault !== undefined) outcomes[index] = refused(fault)
      else outcomes[index] = isOwn ? (joined.get(record) ?? written) : await settle(terms, record, there)
    })
    return outcomes
  }

  function keysFor(item: Item): Key[] {
    const userId = userIdOf(item)
    return [keyOf(item), ...targets.freshOf(linksOf(item)).map(id => membershipKey(id, userId))]
  }
}

async function readItems({ table }: Data, keys: Key[], signal: AbortSignal): Promise<Map<string, Item>> {
  const found = new Map<string, Item>()
  for (const some of chunk(keys, keysPerRead))
    for (const item of await table.batchGet(some, signal)) found.set(placeOf(item), item)
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
    .filter(item => !found.has(placeOf(item)))
  for (const batch of chunk(memberships, itemsPerWrite)) await data.table.batchPut(batch, signal)
}
