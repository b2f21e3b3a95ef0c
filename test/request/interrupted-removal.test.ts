import type { Context } from 'aws-lambda'
import { expect, test } from 'vitest'
import { finishRemovals } from '../../functions/finish-removals.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { worldOf } from './scenario.ts'

/** A world with so many users of provider 7, and a DELETE by a machine client, which reads no caller. */
async function removing(users: number) {
  const w = await worldOf(users, { MAX_WAIT_SECONDS: '40' })
  /** Sends a DELETE whose time is over at its n-th call to the table. */
  async function removeUntil(nth: number) {
    const expire: Plan = ({ n, send }) => {
      if (n === nth) w.clock.advance(40_000)
      return send()
    }
    return await withPlan(expire, () => w.remove(7))
  }
  /** Calls the scheduled function with a time-out of 890 s. */
  const finish = () => {
    const context = { awsRequestId: 'run-1', functionName: 'the-function' }
    const call = { ...context, getRemainingTimeInMillis: () => 890_000 } as Context
    return w.clock.moving(finishRemovals(w.deps)({}, call))
  }
  return { ...w, removeUntil, finish }
}

const never = new AbortController().signal
const other = { requestedBy: 'other', log: () => {}, signal: never }
const throttling = Object.assign(new Error('slow down'), { name: 'ThrottlingException' })

test('a DELETE that is interrupted reports what all attempts have done', async () => {
  const { removeUntil, clock } = await removing(3)
  const send = async (call: number) => {
    const { status, json } = await removeUntil(call)
    clock.advance(1000)
    const { code, affected_total, unlinked } = json()
    return [status, code, affected_total, unlinked]
  }
  // find
  expect(await send(1)).toEqual([503, 'wait_expired', undefined, undefined])
  // find, begin, members, unlink, finish
  expect(await send(2)).toEqual([503, 'removal_unfinished', 3, undefined])
  expect(await send(4)).toEqual([503, 'removal_unfinished', 3, 0])
  // find, members, unlink, finish
  expect(await send(4)).toEqual([503, 'removal_unfinished', 3, 3])
  expect(await send(2)).toEqual([503, 'removal_unfinished', 3, undefined])
  // find, members, finish, users
  expect(await send(3)).toEqual([503, 'removal_unfinished', 3, 3])
  expect(await send(4)).toEqual([503, 'removal_unfinished', 3, 3])
  // find, members, users
  expect(await send(2)).toEqual([503, 'wait_expired', undefined, undefined])
})

test('a DELETE that is over before its first write changes nothing', async () => {
  const w = await removing(3)
  const found = (await w.deps.findProvider(7, never)) ?? expect.unreachable()
  const signal = AbortSignal.abort(new Failure('wait_expired'))
  const removal = w.deps.removeProvider(found, { ...other, signal })
  await expect(removal).rejects.toMatchObject({ code: 'wait_expired' })
  expect((await w.provider()).state).toBe('active')
})

test.each([
  [50, 'removal_unfinished'],
  [49, 'wait_expired'],
])('a DELETE with %i ms left before its first write is answered %s', async (leftMs, code) => {
  const w = await removing(3)
  const budgetMs = 40_000 - 150 // to write the answer
  const slow: Plan = ({ n, send }) => {
    if (n === 1) w.clock.advance(budgetMs - leftMs)
    if (n === 3) w.clock.advance(leftMs)
    return send()
  }
  expect((await withPlan(slow, () => w.remove(7))).json().code).toBe(code)
  expect((await w.provider()).state).toBe(code === 'wait_expired' ? 'active' : 'removing')
})

test('a DELETE goes on with a removal however little time is left', async () => {
  const w = await removing(3)
  await w.removeUntil(3)
  const late: Plan = ({ n, send }) => {
    if (n === 1) w.clock.advance(40_000 - 150 - 1)
    return send()
  }
  expect((await withPlan(late, () => w.remove(7))).ids()).toHaveLength(3)
})

test('a DELETE that is interrupted is left to its client by the scheduled function until the longest wait is over', async () => {
  const w = await removing(3)
  await w.removeUntil(5)
  await w.finish()
  expect((await w.provider()).state).toBe('removing')
  w.clock.advance(1)
  await w.finish()
  expect((await w.provider()).state).toBe('removed')
})

test('a DELETE that is throttled reports its progress', async () => {
  const w = await removing(3)
  const busy: Plan = ({ n, send }) => (n < 4 ? send() : Promise.reject(throttling))
  const { status, headers, json } = await withPlan(busy, () => w.remove(7))
  expect([status, headers['Retry-After']]).toEqual([503, '5'])
  expect(json()).toMatchObject({ code: 'table_busy', affected_total: 3, unlinked: 0 })
})

test.each([
  [884_999, 'removed'],
  [885_000, 'removing'],
])(
  'the scheduled function ends 5 s before its time-out: a call of %i ms leaves a removal as %s',
  async (ms, state) => {
    const w = await removing(3)
    await w.removeUntil(3)
    w.clock.advance(1)
    const slow: Plan = ({ n, send }) => {
      if (n === 2) w.clock.advance(ms)
      return send()
    }
    await withPlan(slow, w.finish)
    expect((await w.provider()).state).toBe(state)
  },
)

test('the scheduled function has the ids of its run in each line of the log', async () => {
  const w = await removing(3)
  await w.removeUntil(3)
  w.clock.advance(1)
  w.logged.length = 0
  await w.finish()
  expect(w.logged.map(({ event }) => event)).toContain('removal_finished')
  const ids = { request_id: 'run-1', function: 'the-function', deployment: w.config.deployment }
  for (const line of w.logged) expect(line).toMatchObject(ids)
})

test('a removal whose first reply is lost is logged as started', async () => {
  const w = await removing(1)
  const lose: Plan = async ({ n, send }) => {
    const reply = await send()
    if (n === 2) throw throttling
    return reply
  }
  expect((await withPlan(lose, () => w.remove(7))).status).toBe(200)
  const events = w.logged.map(({ event }) => event)
  expect(events).toContain('removal_started')
  expect(events).not.toContain('removal_resumed')
})
