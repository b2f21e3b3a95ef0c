import { expect, test } from 'vitest'
import { removalStore } from '../../lib/store/removals.ts'
import { cancelled } from '../support/refusals.ts'
import type { Links } from '../support/samples.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { refusedFor, refusing } from './refusing.ts'
import { idsOf, linksToOne, linksToTwo, type Scenario, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()

test.each<[string, object, string | undefined]>([
  ['changes before each transaction', { code: 'table_busy' }, undefined],
  ['meets others at each', { code: 'table_busy' }, 'TransactionConflict'],
  ['is always throttled', { code: 'table_busy' }, 'ThrottlingError'],
  ['cannot be written', { name: 'TransactionCanceledException' }, 'ValidationError'],
])('of 60 members of whom one %s, all others are unlinked', async (_, error, code) => {
  const scenario = await makeScenario(60)
  const { clock, users } = scenario
  const one = users[30]?.id ?? expect.unreachable()
  let n = 0
  const { sizes, plan } = refusing(async ids => {
    if (!ids.includes(one)) return undefined
    if (code !== undefined) return refusedFor([one], ids, code)
    await withoutPlan(async () => {
      const user = (await scenario.items()).find(({ PK }) => PK === `USER#${one}`)
      await scenario.put([{ ...user, saml_provider_id: ++n % 2 === 1 ? 8 : scenario.provider.id }])
    })
    return undefined
  })
  const beganMs = clock.elapsedMs()
  await expect(withPlan(plan, () => scenario.attempt())).rejects.toMatchObject(error)
  const { members } = await scenario.state()
  expect(members.filter(({ isUnlinked }) => !isUnlinked).map(({ userId }) => userId)).toEqual([one])
  // Who changes is sent again once, as returned.
  const first = code === undefined ? [49, 49, 48, 11, 1, 1] : [49, 48, 11, 1, 1, 1]
  expect(sizes.slice(0, 6)).toEqual(first)
  expect(clock.elapsedMs() - beganMs).toBeGreaterThanOrEqual(8000)
  expect(await scenario.attempt()).toEqual(idsOf(users))
})

test('the others of a group are sent again at once, and no more when the removal has ended', async () => {
  const scenario = await makeScenario(3)
  const { clock } = scenario
  const sentMs: number[] = []
  const { sizes, plan } = refusing(async ids => {
    sentMs.push(clock.elapsedMs())
    if (sizes.length === 1) return refusedFor(ids.slice(0, 1), ids, 'TransactionConflict')
    await withoutPlan(async () => scenario.put([{ ...(await scenario.state()).item, state: 'active' }]))
    return undefined
  })
  const attempt = withPlan(plan, () => scenario.attempt())
  await expect(attempt).rejects.toMatchObject({ code: 'removal_unfinished' })
  expect([sizes, sentMs[1]]).toEqual([[3, 2], sentMs[0]])
})

/** Unlinks members as another attempt at the same removal does. */
async function unlinkByRival({ clock, state, table }: Scenario, ids: string[]) {
  const { provider = expect.unreachable() } = await withoutPlan(state)
  const unlink = removalStore(table).unlinker(provider)
  await withoutPlan(() => clock.thaw(() => unlink(ids, new AbortController().signal)))
}

test.each(['it', 'another attempt'])(
  'an attempt beside a refused member ends eight seconds after %s has unlinked one',
  async who => {
    const scenario = await makeScenario(2)
    const { clock, users } = scenario
    const [one = '', refused = ''] = idsOf(users)
    const turnsAtMs = clock.elapsedMs() + 7000
    let turnedAtMs: number | undefined
    const { plan } = refusing(async ids => {
      const hasTurned = clock.elapsedMs() >= turnsAtMs
      if (hasTurned && turnedAtMs === undefined) {
        turnedAtMs = clock.elapsedMs()
        if (who !== 'it') await unlinkByRival(scenario, [one])
      }
      const some = hasTurned && who === 'it' ? [refused] : ids
      return ids.some(id => some.includes(id)) ? refusedFor(some, ids, 'TransactionConflict') : undefined
    })
    const attempt = withPlan(plan, () => scenario.attempt())
    await expect(attempt).rejects.toMatchObject({ code: 'table_busy' })
    expect((await scenario.state()).linked).toEqual([refused])
    const afterMs = clock.elapsedMs() - (turnedAtMs ?? 0)
    expect([afterMs >= 8000, afterMs < 10_500]).toEqual([true, true])
  },
)

test('a member whom another attempt unlinks in a late round is counted', async () => {
  const scenario = await makeScenario(2)
  const { clock, users } = scenario
  const [one = ''] = idsOf(users)
  const { sizes, plan } = refusing(async ids => {
    if (sizes.length === 1) {
      clock.advance(9000)
      return refusedFor([one], ids, 'TransactionConflict')
    }
    if (ids.includes(one)) await unlinkByRival(scenario, [one])
    return undefined
  })
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(users))
  expect(sizes).toEqual([2, 1, 1])
})

test('a provider that is always in conflict ends the attempt', async () => {
  const scenario = await makeScenario(60)
  const { sizes, plan } = refusing(async () => cancelled('TransactionConflict'))
  const cause = { name: 'TransactionCanceledException' }
  const attempt = withPlan(plan, () => scenario.attempt())
  await expect(attempt).rejects.toMatchObject({ code: 'table_busy', cause: { code: 'table_busy', cause } })
  expect(sizes).toEqual(Array(20).fill(49))
})

test('an attempt that ends in a round logs how many are unlinked', async () => {
  const scenario = await makeScenario(60)
  const controller = new AbortController()
  const { sizes, plan } = refusing(async () => {
    if (sizes.length === 2) controller.abort(new Error('over'))
    return undefined
  })
  await expect(withPlan(plan, () => scenario.attempt(controller.signal))).rejects.toThrow('over')
  expect(scenario.logged.at(-1)).toMatchObject({ event: 'users_unlinked', unlinked: 49 })
})

test('nobody who is refused is forgotten when fewer are counted', async () => {
  const scenario = await makeScenario(3, { provider: { member_count: 2 } })
  let n = 0
  const { plan } = refusing(async ids =>
    n++ === 0 ? refusedFor(ids.slice(0, 1), ids, 'TransactionConflict') : undefined,
  )
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(scenario.users))
  expect((await scenario.state()).linked).toEqual([])
})

const makePaged = scenarioFactory(2)

test('an error that is about no member ends the attempt', async () => {
  const scenario = await makePaged(4)
  let sent = 0
  const unreachable: Plan = async ({ operation, send }) => {
    if (operation !== 'TransactWriteItems') return send()
    sent += 1
    throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  }
  await expect(withPlan(unreachable, () => scenario.attempt())).rejects.toMatchObject({ code: 'table_busy' })
  expect(sent).toBe(8)
})

test('a later round that ends early logs no fewer than were unlinked', async () => {
  const scenario = await makePaged(6)
  const controller = new AbortController()
  const { sizes, plan } = refusing(async ids =>
    sizes.length === 1 ? refusedFor(ids.slice(0, 1), ids, 'TransactionConflict') : undefined,
  )
  const ending: Plan = call => {
    if (call.operation === 'Query' && sizes.length === 5) controller.abort(new Error('over'))
    return plan(call)
  }
  await expect(withPlan(ending, () => scenario.attempt(controller.signal))).rejects.toThrow('over')
  expect(scenario.logged.at(-1)).toMatchObject({ event: 'users_unlinked', unlinked: 5 })
})

const [, toOne] = linksToOne
const [toTwo] = linksToTwo
test.each<[string, Links[], number]>([
  ['most users have two links', [toTwo], 4],
  ['some users have two links', [toTwo, toOne, toOne], 6],
  ['most users have no link', [{}, {}, toOne], 6],
  ['nobody has a link', [{}], 4],
])('what most of a group had is expected of the next: %s', async (_, links, transactions) => {
  const scenario = await makeScenario(3 * 49, { links })
  const { sizes, plan } = refusing(async () => undefined)
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(scenario.users))
  expect(sizes).toEqual(Array(transactions).fill(49))
})
