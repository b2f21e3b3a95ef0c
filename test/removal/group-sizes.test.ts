import { expect, test } from 'vitest'
import { membershipKey } from '../../lib/store/keys.ts'
import { replyOf, withoutPlan, withPlan } from '../support/test-client.ts'
import { inProgress, refusedFor, refusing } from './refusing.ts'
import { idsOf, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
const never = new AbortController().signal

test('a refusal that names nobody makes the next groups half as large, however late', async () => {
  const scenario = await makeScenario(50)
  const { clock } = scenario
  const beganMs = clock.elapsedMs()
  const { sizes, plan } = refusing(async ids => {
    if (sizes.length === 1) clock.advance(9000)
    return ids.length > 1 ? replyOf({ __type: 'x#ValidationException' }, 400) : undefined
  })
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(scenario.users))
  expect(sizes.slice(0, 10)).toEqual([49, 1, 26, 13, 7, 3, 2, 1, 2, 1])
  // The pauses of 20 rounds, each of which has unlinked somebody.
  expect(clock.elapsedMs() - beganMs).toBe(9000 + 20 * 100)
})

test('a group with fewer members than it may have makes the next ones half as large as itself', async () => {
  const scenario = await makeScenario(49 + 2)
  const { sizes, plan } = refusing(async () => (sizes.length === 2 ? inProgress : undefined))
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(scenario.users))
  expect(sizes).toEqual([49, 2, 1, 1])
})

test('a member who is alone in a group, and not named, makes the next ones no smaller', async () => {
  const scenario = await makeScenario(49 + 1)
  const { sizes, plan } = refusing(async ids => {
    if (sizes.length === 1) return refusedFor(ids.slice(0, 1), ids, 'TransactionConflict')
    return sizes.length === 3 ? inProgress : undefined
  })
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(scenario.users))
  expect(sizes).toEqual([49, 48, 1, 2])
})

test('throttling in a part of a group makes the next ones smaller, and each success one larger', async () => {
  const scenario = await makeScenario(200)
  const { clock, users } = scenario
  const beganMs = clock.elapsedMs()
  const refusals: [n: number, code: string, members: number][] = [
    [1, 'TransactionConflict', 1],
    [2, 'ThrottlingError', 8],
    [3, 'TransactionConflict', 1],
    [5, 'ThrottlingError', 5],
    [7, 'TransactionConflict', 1],
  ]
  const { sizes, plan } = refusing(async ids => {
    const [, code, members] = refusals.find(([n]) => n === sizes.length) ?? []
    return code === undefined ? undefined : refusedFor(ids.slice(0, members), ids, code)
  })
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(users))
  expect(sizes).toEqual([49, 48, 40, 39, 25, 20, 13, 12, 13, 14, 15, 16, 17, 18, 19, 1, 16])
  expect(clock.elapsedMs() - beganMs).toBeGreaterThan(100)
})

test('a group of whom nobody is a member any more makes the next ones no larger', async () => {
  const scenario = await makeScenario(150)
  const { table, provider, users, clock } = scenario
  const gone = idsOf(users).slice(49, 49 + 25)
  const deleting = gone.map(id => ({ Delete: { Key: membershipKey(provider.id, id) } }))
  const { sizes, plan } = refusing(async () => {
    if (sizes.length > 1) return undefined
    await withoutPlan(() => clock.thaw(() => table.transact(deleting, never)))
    return inProgress
  })
  await withPlan(plan, () => scenario.attempt())
  expect(sizes).toEqual([49, 25, 25, 26, 25, 28, 21])
})

test.each<[string, (n: number) => boolean, number[]]>([
  ['as a whole', () => true, [49, 49, 49, 49, 49]],
  ['for users alone', n => n % 2 === 1, [49, 25, 49, 49, 49, 24]],
])('a group that is throttled %s makes the next ones no smaller', async (_, isThrottled, all) => {
  const scenario = await makeScenario(4 * 49)
  const { sizes, plan } = refusing(async ids => {
    const some = ids.filter((_, n) => isThrottled(n))
    return sizes.length === 1 ? refusedFor(some, ids, 'ProvisionedThroughputExceeded') : undefined
  })
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(scenario.users))
  expect(sizes).toEqual(all)
})
