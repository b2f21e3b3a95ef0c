import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { userIdOf, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { keyOf } from '../conditions.ts'
import { linkedProviders } from '../linked-providers.ts'
import { addition, countChange } from '../membership/change.ts'
import { scanTable } from '../scan.ts'
import { kindOf } from '../table-item.ts'
import type { Action } from '../transact.ts'
import { type Outcome, refused, written } from './report.ts'
import type { CheckedRecord } from './spool.ts'
import { faultOfLinks, type Terms } from './terms.ts'
import { settle } from './update.ts'

const updatesAtOnce = 4
const itemsPerWrite = 25
/** DynamoDB takes 100 actions and 4 MB in a transaction. JSON is longer than the items. */
const actionsMax = 100
const bytesMax = 3_500_000

/**
 * Returns a function that writes at most 100 users and returns their outcomes: first the users, then their memberships of the
 * providers that the import creates. Users of providers in the table are written as other writers do it.
 */
export function userWriter(terms: Terms) {
  const { data, members, linkedTo, isTrial, signal } = terms
  let turn: Promise<unknown> = Promise.resolve()
  /** One after another: all who link users of a provider write its count. */
  const join = (records: CheckedRecord[], outcomes: Map<CheckedRecord, Outcome>) => {
    const joining = turn.then(() => joinTogether(terms, records, outcomes))
    turn = joining.catch(() => {})
    return joining
  }
  const read = async (items: Item[]) => {
    const found = items.length === 0 ? [] : await data.table.batchGet(items.map(keyOf), signal)
    return new Map(found.map(item => [userIdOf(item), item]))
  }

  return async (records: readonly CheckedRecord[]): Promise<Outcome[]> => {
    const outcomes = new Map<CheckedRecord, Outcome>()
    const stored = await read(records.map(({ item }) => item))
    const free: Item[] = []
    const joining: CheckedRecord[] = []
    for (const record of records) {
      const links = linksOf(record.item)
      const linked = linkedTo(links)
      const fault = faultOfLinks(links, linked)
      if (fault !== undefined) outcomes.set(record, refused(fault))
      else if (stored.has(userIdOf(record.item))) continue
      else if (linked.every(({ resource }) => members.has(resource.id))) free.push(record.item)
      else joining.push(record)
    }
    const taken: Item[] = []
    if (!isTrial)
      for (const batch of chunk(free, itemsPerWrite)) taken.push(...(await data.insert(batch, signal)))
    const meanwhile = await read(taken)
    if (!isTrial) {
      // For a user in the table, the stored links decide about memberships, not the record.
      const inserted = free.map(item => meanwhile.get(userIdOf(item)) ?? item)
      await putMemberships(terms, [...stored.values(), ...inserted])
      if (joining.length > 0) await join(joining, outcomes)
    }
    await forEachConcurrently(records, updatesAtOnce, async record => {
      const id = userIdOf(record.item)
      const found = stored.get(id) ?? meanwhile.get(id)
      if (outcomes.has(record) || found === undefined) return
      outcomes.set(record, await settle(terms, record, found, stored.has(id)))
    })
    return records.map(record => outcomes.get(record) ?? written)
  }
}

/**
 * Adds users of providers in the table, with their memberships and the counts: in one transaction if it is small enough and all
 * conditions hold, else each half by itself.
 *
 * @param outcomes gets those of the users who are not written
 */
async function joinTogether(
  terms: Terms,
  records: CheckedRecord[],
  outcomes: Map<CheckedRecord, Outcome>,
): Promise<void> {
  const [first] = records as [CheckedRecord]
  const actions = joinActions(terms, records)
  const isSmall = actions.length <= actionsMax && Buffer.byteLength(JSON.stringify(actions)) <= bytesMax
  const isAlone = records.length === 1
  if ((isSmall || isAlone) && (await terms.data.transact(actions, terms.signal))) return
  if (isAlone) outcomes.set(first, await outcomeAlone(terms, first))
  else
    for (const half of chunk(records, Math.ceil(records.length / 2)))
      await joinTogether(terms, half, outcomes)
}

function joinActions({ members, linkedTo }: Terms, records: readonly CheckedRecord[]): Action[] {
  const joined = new Map<number, number>()
  const actions = records.flatMap(({ item }): Action[] => {
    const userId = userIdOf(item)
    const memberships = linkedTo(linksOf(item)).map(({ resource: { id } }): Action => {
      if (members.has(id)) return { Put: { Item: membershipItem(id, userId) } }
      joined.set(id, (joined.get(id) ?? 0) + 1)
      return addition(id, userId)
    })
    return [{ Put: { Item: item, ConditionExpression: 'attribute_not_exists(PK)' } }, ...memberships]
  })
  return [...Array.from(joined, ([id, users]) => countChange(id, users)), ...actions]
}

/** The outcome of a user for whom a condition does not hold. */
async function outcomeAlone(terms: Terms, record: CheckedRecord): Promise<Outcome> {
  const { data, fresh, signal } = terms
  const stored = await data.table.get(userKey(userIdOf(record.item)), signal)
  if (stored !== undefined) return settle(terms, record, stored, false)
  const links = linksOf(record.item)
  const linked = linkedProviders([...fresh, ...(await allProviders(data.table, signal))])(links)
  return refused(
    faultOfLinks(links, linked) ??
      'a membership of the user is in the table without the user: run verify --repair, then import again',
  )
}

/** Puts the memberships that these users do not have, of providers that the import creates. */
async function putMemberships({ data, members, linkedTo, signal }: Terms, users: readonly Item[]) {
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
 * Adds memberships for users in the table whose links name a new provider.
 *
 * @param isDone whether the import does so for the user anyway
 * @param advance called with the items read
 */
export async function adoptUsers(
  terms: Terms,
  isDone: (userId: string) => boolean,
  advance: (items: number) => void,
): Promise<void> {
  const adopt = async (items: Item[]) => {
    advance(items.length)
    await putMemberships(
      terms,
      items.filter(item => kindOf(item).kind === 'user' && !isDone(userIdOf(item))),
    )
  }
  await scanTable(terms.data, adopt, terms.signal, {
    ProjectionExpression: 'PK, SK, saml_provider_id, sso_provider_id',
    FilterExpression:
      'SK = :user AND (attribute_exists(saml_provider_id) OR attribute_exists(sso_provider_id))',
    ExpressionAttributeValues: { ':user': 'USER' },
  })
}
