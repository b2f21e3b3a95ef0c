import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { linksOf, membershipItem } from '../../../lib/store/items.ts'
import { userIdOf, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { addition, countChange } from '../membership/change.ts'
import type { Action } from '../transact.ts'
import type { CheckedRecord } from './checked-record.ts'
import { type Outcome, refused, written } from './report.ts'
import { linkTargets } from './targets.ts'
import type { Terms } from './terms.ts'
import { settle } from './update.ts'

const groupsAtOnce = 4
/** DynamoDB takes 100 actions and 4 MB. JSON is longer than the item, and what others keep in it is not written here. */
const actionsMax = 100
const bytesMax = 3_500_000

/**
 * Returns a function that writes users of providers in the table, each with the memberships and the counts in one transaction.
 * All who link users of a provider write its count, so that users of the same providers go together, one transaction after
 * another.
 */
export function joinInTurn(terms: Terms) {
  const turns = new Map<string, Promise<unknown>>()

  return async (records: readonly CheckedRecord[]): Promise<Map<CheckedRecord, Outcome>> => {
    const outcomes = new Map<CheckedRecord, Outcome>()
    const groups = Map.groupBy(records, ({ item }) => terms.targets.knownOf(linksOf(item)).join())
    await forEachConcurrently(groups, groupsAtOnce, async ([providerIds, group]) => {
      const turn = (turns.get(providerIds) ?? Promise.resolve()).then(async () => {
        for (const batch of batchesOf(terms, group)) await joinTogether(terms, batch, outcomes)
      })
      turns.set(
        providerIds,
        turn.catch(() => {}),
      )
      await turn
    })
    return outcomes
  }
}

/** Writes users of the same providers; when a condition does not hold, each by itself. */
async function joinTogether(terms: Terms, records: CheckedRecord[], outcomes: Map<CheckedRecord, Outcome>) {
  const { data, targets, signal } = terms
  const [first] = records as [CheckedRecord]
  const counts = targets.knownOf(linksOf(first.item)).map(id => countChange(id, records.length))
  const actions = [...counts, ...records.flatMap(record => actionsOf(terms, record))]
  if (await data.transact(actions, signal)) for (const record of records) outcomes.set(record, written)
  else if (records.length === 1) outcomes.set(first, await outcomeAlone(terms, first))
  else for (const record of records) await joinTogether(terms, [record], outcomes)
}

/** The outcome of a user for whom a condition does not hold. */
async function outcomeAlone(terms: Terms, record: CheckedRecord): Promise<Outcome> {
  const { data, targets, signal } = terms
  const stored = await data.table.get(userKey(userIdOf(record.item)), signal)
  if (stored !== undefined) return settle(terms, record, stored)
  const { faultOf } = linkTargets(await allProviders(data.table, signal), targets.fresh)
  return refused(
    faultOf(linksOf(record.item)) ??
      'a membership of the user is in the table without the user: run verify --repair, then import again',
  )
}

function* batchesOf(terms: Terms, records: readonly CheckedRecord[]): Generator<CheckedRecord[]> {
  let batch: CheckedRecord[] = []
  let [actions, bytes] = [0, 0]
  for (const record of records) {
    const more = actionsOf(terms, record).length
    const size = Buffer.byteLength(JSON.stringify(record.item))
    const providers = terms.targets.knownOf(linksOf(record.item)).length
    if (batch.length > 0 && (providers + actions + more > actionsMax || bytes + size > bytesMax)) {
      yield batch
      batch = []
      ;[actions, bytes] = [0, 0]
    }
    batch.push(record)
    actions += more
    bytes += size
  }
  yield batch
}

/** Adds a user and the memberships of the user. */
function actionsOf({ targets }: Terms, { item }: CheckedRecord): Action[] {
  const links = linksOf(item)
  const userId = userIdOf(item)
  return [
    { Put: { Item: item, ConditionExpression: 'attribute_not_exists(PK)' } },
    ...targets.knownOf(links).map(id => addition(id, userId)),
    ...targets.freshOf(links).map((id): Action => ({ Put: { Item: membershipItem(id, userId) } })),
  ]
}
