import { chunk } from '../../../lib/concurrency.ts'
import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { keyOf } from '../conditions.ts'
import { changeUsers, type UserChange } from '../membership/change-users.ts'
import { scanLinkedUsers } from './linked-users.ts'
import { type Outcome, refused } from './report.ts'
import { decideUser, namable } from './settle.ts'
import type { CheckedRecord } from './spool.ts'
import type { Terms } from './terms.ts'

const itemsPerWrite = 25

const strayMembership = refused(
  'a membership of the user is in the table without the link: run verify --repair, then import again',
)

/**
 * Returns a function that writes at most 100 users and returns their outcomes: first the users, then their memberships of the
 * providers that the import creates. Users of providers in the table, and those who are updated, are written as other writers
 * do it.
 *
 * @param planned the providers as they will be
 */
export function userWriter(terms: Terms, planned: readonly ProviderRecord[]) {
  const { data, members, isTrial, fresh, signal } = terms
  const now = namable(planned)
  const read = async (items: readonly Item[]) => {
    const found = items.length === 0 ? [] : await data.table.batchGet(items.map(keyOf), signal)
    return new Map(found.map(item => [userIdOf(item), item]))
  }
  const isFree = (item: Item) => now.linkedTo(linksOf(item)).every(({ resource }) => members.has(resource.id))

  const calls = { ...data, coming: fresh.map(({ resource }) => resource) }
  let last: { stored: readonly ProviderRecord[]; later: typeof now } = { stored: planned, later: now }
  const laterOf = (stored: readonly ProviderRecord[]) => {
    const ids = new Set(stored.map(({ resource }) => resource.id))
    const all = () => [...stored, ...fresh.filter(({ resource }) => !ids.has(resource.id))]
    if (last.stored !== stored) last = { stored, later: namable(all()) }
    return last.later
  }
  let turn: Promise<unknown> = Promise.resolve()
  /** One after another: all who link users of a provider write its count. */
  const change = (records: CheckedRecord[], wasThere: (userId: string) => boolean): Promise<Outcome[]> => {
    const changes = records.map((record): UserChange<Outcome> => {
      const userId = userIdOf(record.item)
      return {
        userId,
        alreadyMember: strayMembership,
        invalid: reason => refused(`DynamoDB does not take the user: ${reason}`),
        decide: (user, providers) => decideUser(terms, record, user, laterOf(providers), wasThere(userId)),
      }
    })
    const changing = turn.then(() => changeUsers(calls, changes, signal))
    turn = changing.catch(() => {})
    return changing
  }

  return async (records: readonly CheckedRecord[]): Promise<Outcome[]> => {
    const outcomes = new Map<CheckedRecord, Outcome>()
    const free = new Map<Item, CheckedRecord>()
    const changing: CheckedRecord[] = []
    const stored = await read(records.map(({ item }) => item))
    for (const record of records) {
      const user = stored.get(userIdOf(record.item))
      const { outcome, to } = decideUser(terms, record, user, now, true)
      outcomes.set(record, outcome)
      if (isTrial || to === undefined || to === 'erased') continue
      if (user === undefined && isFree(to.values)) free.set(to.values, record)
      else changing.push(record)
    }
    if (isTrial) return [...outcomes.values()]

    const taken: Item[] = []
    for (const batch of chunk([...free.keys()], itemsPerWrite))
      taken.push(...(await data.insert(batch, signal)))
    const meanwhile = await read(taken)
    for (const item of taken) {
      const record = free.get(item) as CheckedRecord
      const user = meanwhile.get(userIdOf(item))
      const { outcome, to } = decideUser(terms, record, user, now, false)
      outcomes.set(record, outcome)
      if (to !== undefined) changing.push(record)
    }
    // For a user in the table, the stored links decide about memberships, not the record.
    const inserted = [...free.keys()].map(item => meanwhile.get(userIdOf(item)) ?? item)
    await putMemberships(terms, now.linkedTo, [...stored.values(), ...inserted])
    if (changing.length > 0) {
      const changed = await change(changing, id => stored.has(id))
      for (const [index, record] of changing.entries()) outcomes.set(record, changed[index] as Outcome)
    }
    return [...outcomes.values()]
  }
}

/** Puts the memberships that these users do not have, of the providers that the import creates. */
async function putMemberships(
  { data, members, signal }: Terms,
  linkedTo: ReturnType<typeof namable>['linkedTo'],
  users: readonly Item[],
) {
  const memberships = users.flatMap(item => {
    const userId = userIdOf(item)
    const missing = linkedTo(linksOf(item)).filter(
      ({ resource }) => members.get(resource.id)?.has(userId) === false,
    )
    return missing.map(({ resource }) => membershipItem(resource.id, userId))
  })
  for (const batch of chunk(memberships, itemsPerWrite)) await data.put(batch, signal)
}

/**
 * Adds memberships for users in the table whose links name the providers that the import creates.
 *
 * @param isDone whether the import does so for the user anyway
 * @param advance called with the items read
 */
export async function adoptUsers(
  terms: Terms,
  isDone: (userId: string) => boolean,
  advance: (items: number) => void,
): Promise<void> {
  const { linkedTo } = namable(terms.fresh)
  const adopt = (users: Item[]) =>
    putMemberships(
      terms,
      linkedTo,
      users.filter(user => !isDone(userIdOf(user))),
    )
  await scanLinkedUsers(terms.data, adopt, advance, terms.signal)
}
