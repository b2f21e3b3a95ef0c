import { expect, test } from 'vitest'
import { membershipKey } from '../../lib/store/keys.ts'
import { cancelled, transactions } from '../support/refusals.ts'
import { type Plan, type Reply, replyOf, withoutPlan, withPlan } from '../support/test-client.ts'
import { idsOf, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
const never = new AbortController().signal

/** May answer transactions in the engine's place, by the ids of their users; and notes how many each one has. */
function refusing(act: (userIds: string[]) => Promise<Reply | undefined>) {
  const sizes: number[] = []
  const plan = transactions(userIds => {
    sizes.push(userIds.length)
    return act(userIds)
  })
  return { sizes, plan }
}

/** A transaction that is refused for some of its members: for the membership of one, for the user of the next. */
const refusedFor = (some: readonly string[], userIds: string[], code: string) =>
  cancelled(
    'None',
    ...userIds.flatMap((id, n) => [0, 1].map(k => (some.includes(id) && n % 2 === k ? code : 'None'))),
  )

const inProgress = replyOf({ __type: 'x#TransactionInProgressException' }, 400)

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
  expect(sizes.slice(0, 6)).toEqual([49, 48, 11, 1, 1, 1])
  expect(clock.elapsedMs() - beganMs).toBeGreaterThanOrEqual(8000)
  expect(await scenario.attempt()).toEqual(idsOf(users))
})

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

test('throttling in a part of a group makes the next ones smaller, and each success one larger', async () => {
  const scenario = await makeScenario(200)
  const { clock, users } = scenario
  const beganMs = clock.elapsedMs()
  const refusals: [n: number, code: string, members: number][] = [
    [1, 'TransactionConflict', 1],
    [2, 'ThrottlingError', 8],
    [4, 'ThrottlingError', 5],
    [6, 'TransactionConflict', 1],
  ]
  const { sizes, plan } = refusing(async ids => {
    const [, code, members] = refusals.find(([n]) => n === sizes.length) ?? []
    return code === undefined ? undefined : refusedFor(ids.slice(0, members), ids, code)
  })
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(users))
  expect(sizes).toEqual([49, 48, 40, 25, 20, 13, 12, 13, 14, 15, 16, 17, 18, 19, 1, 15])
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
  expect(sizes).toEqual([49, 25, 26, 25, 28, 21])
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

test.each([
  ['goes on after a late round that has unlinked another one', 0, 1],
  ['goes on after a late round that has unlinked another one before', 1, 1],
  ['ends after a late round that has unlinked nobody', 0, 2],
])('an attempt with a refused member %s', async (_, refused, lateRefusals) => {
  const scenario = await makeScenario(2)
  const { clock } = scenario
  const beganMs = clock.elapsedMs()
  const ids = idsOf(scenario.users)
  let left = lateRefusals
  const { plan } = refusing(async group => {
    const isLate = clock.elapsedMs() - beganMs >= 8000
    const some = isLate ? ids.slice(refused, refused + 1) : ids
    const isRefused = !isLate || (group.includes(ids[refused] ?? '') && left-- > 0)
    return isRefused ? refusedFor(some, group, 'TransactionConflict') : undefined
  })
  const attempt = withPlan(plan, () => scenario.attempt())
  if (lateRefusals === 1) expect(await attempt).toEqual(ids)
  else await expect(attempt).rejects.toMatchObject({ code: 'table_busy' })
  expect((await scenario.state()).linked).toEqual(lateRefusals === 1 ? [] : [ids[refused]])
})

test('a provider that is always in conflict ends the attempt', async () => {
  const scenario = await makeScenario(60)
  const { sizes, plan } = refusing(async () => cancelled('TransactionConflict'))
  await expect(withPlan(plan, () => scenario.attempt())).rejects.toMatchObject({ code: 'table_busy' })
  expect(sizes).toEqual(Array(20).fill(49))
})

test('a late attempt does not end with a round that has made its groups smaller', async () => {
  const scenario = await makeScenario(50)
  const last = scenario.users[49]?.id ?? ''
  let rounds = 0
  const { sizes, plan } = refusing(async ids => {
    if (sizes.length === 1) scenario.clock.advance(9000)
    if (ids.includes(last) && ++rounds <= 2) return refusedFor([last], ids, 'TransactionConflict')
    return ids.length > 1 ? inProgress : undefined
  })
  expect(await withPlan(plan, () => scenario.attempt())).toEqual(idsOf(scenario.users))
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
  let reads = 0
  const unreachable: Plan = async ({ operation, send }) => {
    if (operation !== 'BatchGetItem') return send()
    reads += 1
    throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  }
  await expect(withPlan(unreachable, () => scenario.attempt())).rejects.toMatchObject({ code: 'table_busy' })
  expect(reads).toBe(8)
})
