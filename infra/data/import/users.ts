import { chunk } from '../../../lib/concurrency.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { keyOf } from '../table/conditions.ts'
import { type View, viewOf } from '../table/linked-providers.ts'
import { changeUsers, type UserChange } from '../membership/change-users.ts'
import { scanUsers } from '../table/scan.ts'
import { decideUser, type Terms } from './decide-user.ts'
import { type Outcome, refused } from './report.ts'
import type { CheckedRecord } from './spool.ts'

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
export function userWriter(terms: Terms, planned: View) {
  const { data, members, isTrial, fresh, signal } = terms
  const isFree = (item: Item) =>
    planned.linkedTo(linksOf(item)).every(({ resource }) => members.has(resource.id))

  let turn: Promise<unknown> = Promise.resolve()
  /** One after another: all who link users of a provider write its count. */
  const change = (records: CheckedRecord[], wasThere: (userId: string) => boolean): Promise<Outcome[]> => {
    const changes = records.map((record): UserChange<Outcome> => {
      const userId = userIdOf(record.item)
      return {
        userId,
        alreadyMember: strayMembership,
        invalid: reason => refused(`DynamoDB does not take the user: ${reason}`),
        decide: (user, view) => decideUser(terms, record, user, view, wasThere(userId)),
      }
    })
    const changing = turn.then(() => changeUsers({ ...data, coming: fresh }, changes, signal))
    turn = changing.catch(() => {})
    return changing
  }

  return async (records: readonly CheckedRecord[]): Promise<Outcome[]> => {
    const outcomes = new Map<CheckedRecord, Outcome>()
    const free = new Map<Item, CheckedRecord>()
    const changing: CheckedRecord[] = []
    const found = await data.table.batchGet(
      records.map(({ item }) => keyOf(item)),
      signal,
    )
    const stored = new Map(found.map(item => [userIdOf(item), item]))
    for (const record of records) {
      const user = stored.get(userIdOf(record.item))
      const { outcome, to } = decideUser(terms, record, user, planned, true)
      outcomes.set(record, outcome)
      if (to === undefined || to === 'erased') continue
      if (user === undefined && isFree(to.values)) free.set(to.values, record)
      else changing.push(record)
    }
    if (isTrial) return [...outcomes.values()]

    // Of a user who is stored meanwhile, the stored links decide about memberships, not the record.
    for (const batch of chunk([...free.keys()], itemsPerWrite))
      for (const item of await data.insert(batch, signal)) {
        changing.push(free.get(item) as CheckedRecord)
        free.delete(item)
      }
    await addMemberships(terms, planned, [...found, ...free.keys()])
    if (changing.length > 0) {
      const changed = await change(changing, id => stored.has(id))
      for (const [index, record] of changing.entries()) outcomes.set(record, changed[index] as Outcome)
    }
    return [...outcomes.values()]
  }
}

/** Adds the memberships that these users do not have, of the providers that the import creates. */
async function addMemberships(
  { data, members, signal }: Terms,
  { linkedTo }: View,
  users: readonly Item[],
): Promise<void> {
  const memberships = users.flatMap(item => {
    const userId = userIdOf(item)
    const missing = linkedTo(linksOf(item)).filter(
      ({ resource }) => members.get(resource.id)?.has(userId) === false,
    )
    return missing.map(({ resource }) => membershipItem(resource.id, userId))
  })
  for (const batch of chunk(memberships, itemsPerWrite)) await data.insert(batch, signal)
}

/**
 * Adds memberships for users in the table whose links name the providers that the import creates.
 *
 * @param isDone whether the import does so for the user anyway
 */
export function adoptUsers(terms: Terms, isDone: (userId: string) => boolean): Promise<void> {
  const view = viewOf(terms.fresh)
  const adopt = (users: Item[]) =>
    addMemberships(
      terms,
      view,
      users.filter(user => !isDone(userIdOf(user))),
    )
  return scanUsers(terms.data, adopt, terms.signal, true)
}
