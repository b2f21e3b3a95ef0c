import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { userItem } from '../../infra/data/table/encoding.ts'
import { abortable, delay } from '../../lib/time.ts'
import { outputOf, type Plan, withPlan } from '../support/test-client.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

const never = new AbortController().signal
const callMs = 10

type Consumed = { CapacityUnits: number }

const isRead = (operation: string) => /Get|Query/.test(operation)

/**
 * Counts the calls of some work. Each call takes the same time, and nothing else takes any. It expects that each read is
 * strongly consistent.
 */
async function measure({ clock }: World, work: () => Promise<unknown>) {
  /** Calls, by the name of the operation. */
  const calls: Record<string, number> = {}
  /** Capacity units without those of transactions. */
  const units = { read: 0, written: 0 }
  /** The actions of transactions; each uses twice the write units of an UpdateItem. */
  let actions = 0
  const inconsistentReads: string[] = []
  const count: Plan = async ({ operation, body, send }) => {
    const { TransactItems } = body as { TransactItems?: unknown[] }
    calls[operation] = (calls[operation] ?? 0) + 1
    actions += TransactItems?.length ?? 0
    if (isRead(operation) && !JSON.stringify(body).includes('"ConsistentRead":true'))
      inconsistentReads.push(operation)
    const reply = await send({ ...body, ReturnConsumedCapacity: 'TOTAL' })
    const consumed: Consumed | Consumed[] = TransactItems ? [] : (outputOf(reply).ConsumedCapacity ?? [])
    for (const { CapacityUnits } of [consumed].flat())
      units[isRead(operation) ? 'read' : 'written'] += CapacityUnits
    await clock.thaw(() => delay(clock, callMs, never))
    return reply
  }
  const startMs = clock.nowMs()
  await withPlan(count, work)
  expect(inconsistentReads).toEqual([])
  // The length of the longest chain of calls in which each waits for the previous one.
  return { calls, units, actions, inSeries: (clock.nowMs() - startMs) / callMs }
}

const person = { sub: '5a3d1c9e-7b42-4f06-9d18-c0ffee000002' }

/** A world with one provider and `count` users who are linked both ways. */
async function linkedBothWays(count: number) {
  const w = await world()
  await w.putProvider(sampleProvider(7, 70), sampleUsers(count, { saml: 7, sso: 70 }))
  return w
}

test.each([
  ['a person reads the caller at the same time', person, { GetItem: 1, Query: 1 }, 2],
  ['a machine client reads the providers alone', { sub: 'nightly-job' }, { Query: 1 }, 1],
])('a list of %s, strongly consistent', async (_, claims, calls, read) => {
  const w = await linkedBothWays(0)
  await w.put(userItem({ ...sampleUser(1), id: person.sub }))
  const used = await measure(w, () => w.list({ token: w.token(claims) }))
  expect(used).toEqual({ calls, inSeries: 1, units: { read, written: 0 }, actions: 0 })
})

const unlinking = (transactions: number, reads: number) => ({
  ...{ GetItem: 2, UpdateItem: 2, Query: 1 },
  ...{ TransactWriteItems: transactions, BatchGetItem: reads },
})

test.each([
  // find and caller, tombstone, memberships, finish
  [0, 4, { GetItem: 2, UpdateItem: 2, Query: 1 }],
  // … a transaction after the memberships; the users are read after finish
  [1, 6, unlinking(1, 1)],
  [49, 6, unlinking(1, 1)],
  // … of 9 transactions, one after another
  [425, 15, unlinking(9, 5)],
])('a removal of %i users takes %i calls in series', async (count, inSeries, calls) => {
  const w = await linkedBothWays(count)
  const used = await measure(w, () => w.remove(7, { token: w.token(person) }))
  const transactions = Math.ceil(count / 49)
  expect(used).toMatchObject({ calls, inSeries, units: { written: 2 }, actions: 2 * count + transactions })
})

test('a removal that is finished is repeated in three calls in series', async () => {
  const w = await linkedBothWays(25)
  await w.remove(7)
  expect(await measure(w, () => w.remove(7, { token: w.token(person) }))).toMatchObject({
    calls: { GetItem: 2, Query: 1, BatchGetItem: 1 },
    inSeries: 3,
    units: { written: 0 },
    actions: 0,
  })
})

const disabled = userItem({ ...sampleUser(1), is_disabled: true })

test.each<[string, (signal: AbortSignal) => Promise<undefined>]>([
  ['does not exist', async () => undefined],
  ['cannot be read', () => Promise.reject(new Failure('table_busy'))],
  ['never arrives', signal => abortable(new Promise(() => {}), signal)],
])('a disabled caller is refused although the item read at the same time %s', async (_, read) => {
  const w = await world()
  await w.put(disabled)
  let given: AbortSignal | undefined
  const reads = (signal: AbortSignal) => {
    given = signal
    return read(signal) as Promise<never>
  }
  w.deps.listProviders = reads
  w.deps.findProvider = (_, signal) => reads(signal)
  const token = w.token({ sub: userId(1) })
  for (const send of [() => w.list({ token }), () => w.remove(7, { token })]) {
    expect((await send()).json().code).toBe('caller_disabled')
    expect(given?.aborted).toBe(true)
  }
  expect(w.clock.scheduled()).toBe(0)
})
