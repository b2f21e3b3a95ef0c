import { isLinked } from '../../../lib/domain/provider.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { providerKey, userIdOf } from '../../../lib/store/keys.ts'
import { changeUsers, usersPerTransaction } from '../membership/change-users.ts'
import { membersOf } from '../membership/memberships.ts'
import type { UserChange } from '../membership/plan-changes.ts'
import type { Data } from '../open-data.ts'
import type { Input, InputRecord } from '../records/input.ts'
import { replacement } from '../table/conditions.ts'
import { scanUsers } from '../table/scan.ts'
import type { Refusal } from '../table/transact.ts'
import type { PlannedProvider } from './compare-providers.ts'
import { decideUser, type UserOutcome } from './decide-user.ts'
import { difference } from './difference.ts'
import { differenceOf, type Terms } from './report.ts'

/**
 * Writes what was compared. A new provider is created in state `importing`, in which nobody can use or remove it; when all its
 * users are there, it becomes active.
 *
 * @param changing the places of users whom a write changes
 * @throws Error of one sentence when another writer has created a provider meanwhile; the signal's reason
 */
export async function writeRecords(
  terms: Terms,
  input: Input,
  providers: readonly PlannedProvider[],
  changing: ReadonlySet<string>,
): Promise<void> {
  for (const one of providers) {
    if (one.found === undefined) await createProvider(terms, one)
    else if (one.outcome === 'updated') await updateProvider(terms, one)
    // An import that was interrupted has created it.
    else if (one.outcome === 'written') terms.tally.note('providers', 'written')
  }
  await writeUsers(terms, input, changing)
  await openProviders(terms, providers.filter(isClosed))
}

/** Whether nobody can use a provider whose users were written. */
const isClosed = ({ found, outcome }: PlannedProvider) =>
  outcome === 'written' || (outcome === 'updated' && found?.state === 'importing')

async function createProvider({ data, tally, signal }: Terms, { id, item }: PlannedProvider): Promise<void> {
  const Item = { ...item, state: 'importing' }
  const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' } }
  const refusal = await data.transact([put], signal)
  // Without the provider, its users would lose the link.
  if (refusal !== undefined)
    throw new Error(`No user was written, because ${reasonOf(refusal, id)}: import again.`)
  tally.note('providers', 'written')
}

async function updateProvider({ data, tally, tell, signal }: Terms, one: PlannedProvider): Promise<void> {
  const stored = await data.table.get(providerKey(one.record.resource.id), signal)
  const isAsCompared = stored?.state === one.found?.state
  const values = difference(samlProviderShape, stored ?? {}, one.item, one.unmentioned)
  const refusal = isAsCompared
    ? await data.transact([replacement(stored ?? {}, values, 'state')], signal)
    : {}
  tally.note('providers', refusal === undefined ? 'updated' : 'failed')
  if (refusal !== undefined) tell({ ...one, reason: reasonOf(refusal, one.id) })
}

const reasonOf = ({ invalid }: Refusal, id: unknown) =>
  invalid === undefined
    ? `another writer has changed the provider ${id} meanwhile`
    : `DynamoDB does not take the provider ${id}: ${invalid}`

/** What has become of a user, or why it could not be written. */
type Written = UserOutcome | { is: 'failed'; reason: string }

/** Writes users one transaction after another: all who link users of a provider write its count. */
async function writeUsers(terms: Terms, input: Input, changing: ReadonlySet<string>): Promise<void> {
  const { data, update, signal } = terms
  const changeOf = (user: InputRecord): UserChange<Written> => ({
    userId: userIdOf(user.item),
    refused: reason => ({ is: 'failed', reason }),
    decide: (stored, view) => decideUser({ update, clock: data.clock }, user, stored, view),
  })
  await data.phase('users written', async advance => {
    for await (const users of input.users(usersPerTransaction, ({ place }) => changing.has(place))) {
      const outcomes = await changeUsers(data, users.map(changeOf), signal)
      for (const [n, user] of users.entries()) noteWritten(terms, user, outcomes[n] as Written)
      advance(users.length)
    }
  })
}

function noteWritten({ tally, tell }: Terms, user: InputRecord, outcome: Written) {
  if ('reason' in outcome) {
    tally.note('users', 'failed')
    return tell({ ...user, reason: outcome.reason })
  }
  // Links that are left out were counted when the users were compared.
  tally.note('users', outcome.is, { ...outcome.moves, leftOut: [] })
  if (outcome.is === 'differs') tell({ ...user, reason: differenceOf(outcome.fields, false) })
}

/** Gives memberships of providers to the users in the table whose links name them. */
async function adoptUsers(data: Data, providers: readonly PlannedProvider[], signal: AbortSignal) {
  const resources = providers.map(({ record }) => record.resource)
  const members = new Set<string>()
  for (const { id } of resources)
    for (const { userId } of await membersOf(data, id, signal)) members.add(`${id} ${userId}`)
  const found: string[] = []
  const collect = (users: Item[]) => {
    for (const user of users) {
      const isLacking = resources.some(
        one => isLinked(linksOf(user), one) && !members.has(`${one.id} ${userIdOf(user)}`),
      )
      if (isLacking) found.push(userIdOf(user))
    }
  }
  await scanUsers(data, collect, signal)
  const decide = () => ({ outcome: undefined })
  await changeUsers(
    data,
    found.map(userId => ({ userId, decide })),
    signal,
  )
}

/** Opens providers whose users are there: from here on they can be used and removed. */
async function openProviders({ data, tally, tell, signal }: Terms, providers: readonly PlannedProvider[]) {
  const { failed } = tally.counts.users
  if (failed > 0)
    for (const one of providers)
      tell({ ...one, reason: `the provider is not in use yet, because ${failed} users failed: import again` })
  if (failed > 0 || providers.length === 0) return
  await adoptUsers(data, providers, signal)
  const change = {
    UpdateExpression: 'SET #state = :active',
    ConditionExpression: '#state = :importing',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':active': 'active', ':importing': 'importing' },
  }
  // When the condition does not hold, another import has opened it.
  for (const { record } of providers) await data.table.update(providerKey(record.resource.id), change, signal)
}
