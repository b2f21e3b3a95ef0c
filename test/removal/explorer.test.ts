import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Attempt, explore, type Schedule } from './explorer.ts'
import { callsMin, crashNames, explored, faultNames, isFull, type Plan } from './explored.ts'
import { type Fated, type FateName, namesOf, passing, stalls } from './fates.ts'
import { type Start, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
/** Makes scenarios in which a page of a Query has at most two memberships. */
const makePaged = scenarioFactory(0, 2)
const run = 'the scheduled function'

const thenDelete: Plan = fated => ({ processes: [[{ fates: [fated] }, 'move', {}]] })
const thenRun: Plan = fated => ({ processes: [[{ fates: [fated] }, 'move', { by: run }, {}]] })
const abandoned: Attempt = { fates: [['crashes before it', 4]] }
const duringRun: Plan = fated => ({
  processes: [[abandoned, { by: run, fates: [fated] }, 'move', { by: run }, {}]],
})
const doneLast: Plan = fated => ({ ...thenDelete(fated), isLateLast: true })

describe('a removal that crashes at any call keeps every promise', () => {
  test.each([
    ...(isFull ? [0, 1, 24, 25, 26, 60] : [1, 26]).map(
      users => ['the DELETE is repeated', users, thenDelete] as const,
    ),
    ...(isFull ? [0, 3, 26] : [3]).map(users => ['the scheduled function goes on', users, thenRun] as const),
    ...(isFull ? [0, 3, 26] : [26]).map(
      users => ['the scheduled function crashes, too', users, duringRun] as const,
    ),
  ])('when %s, with %i users', async (_, users, plan) => {
    const { count, broken } = await explored(crashNames, plan, () => makeScenario(users))
    expect(broken).toEqual([])
    expect(count).toBeGreaterThanOrEqual(2 * callsMin(users))
  })
})

const old = '2026-01-01T00:00:00.000Z'
const oldRemoval = { removal_id: 'old', removal_started_at: old, removed_by: 'old', retained_until: 5 }

describe('a removal of more than one page keeps every promise', () => {
  test.each([
    ...(isFull ? [3, 4, 5, 7] : [3]).map(users => ['the DELETE is repeated', users, thenDelete] as const),
    ...(isFull ? [5] : []).map(users => ['the scheduled function goes on', users, thenRun] as const),
    ...(isFull ? [3, 5] : []).map(
      users => ['the scheduled function crashes, too', users, duringRun] as const,
    ),
  ])('when it crashes at any call and %s, with %i users', async (_, users, plan) => {
    const { count, broken } = await explored(crashNames, plan, () => makePaged(users))
    expect(broken).toEqual([])
    expect(count).toBeGreaterThanOrEqual(6 * Math.ceil(users / 2))
  })

  test.each<FateName>(isFull ? faultNames : ['stalls and is done late'])('when any call %s', async kind => {
    const { broken } = await explored([kind], thenDelete, () => makePaged(isFull ? 5 : 3))
    expect(broken).toEqual([])
  })

  test('when any call stalls and is done after the DELETE was repeated', async () => {
    const { broken } = await explored(['stalls and is done late'], doneLast, () => makePaged(3))
    expect(broken).toEqual([])
  })
})

describe.each<[string, Start]>([
  [
    'an active provider with the attributes of an older removal',
    { provider: { ...oldRemoval, removed_at: old, expires_at: 5 }, membership: { expires_at: 5 } },
  ],
  [
    'an unfinished removal with a malformed retained_until',
    {
      provider: { ...oldRemoval, state: 'removing', retained_until: 'soon' },
      membership: { expires_at: 'soon' },
    },
  ],
  [
    'an unfinished removal with only malformed attributes',
    { provider: { state: 'removing', removal_id: 5 }, membership: { expires_at: 5 } },
  ],
])('from %s, a removal keeps every promise', (_, start) => {
  test('when it crashes at any call', async () => {
    expect((await explored(crashNames, thenDelete, () => makeScenario(2, start))).broken).toEqual([])
  })
  const late = 'stalls and is done late'
  test.each<FateName>(isFull ? ['is sent twice', 'loses its reply', late] : [late])(
    'when any call %s',
    async kind => {
      expect((await explored([kind], doneLast, () => makeScenario(2, start))).broken).toEqual([])
    },
  )
})

/** A DELETE with these fates, and one without. */
const disturbed = async (fates: Fated[], isLateLast = false, make = makeScenario) =>
  (await explore(await make(4), { processes: [[{ fates }, {}]], isLateLast })).broken

describe('a removal keeps every promise when', () => {
  test.each(namesOf(passing))('each call %s once', async kind => {
    expect(await disturbed([[kind, 'first']])).toEqual([])
  })

  test.each(isFull ? faultNames : namesOf(stalls))('any call %s', async kind => {
    const { count, broken } = await explored([kind], thenDelete, () => makeScenario(4))
    expect(broken).toEqual([])
    expect(count).toBeGreaterThanOrEqual(
      kind.startsWith('is done') || kind === 'is not done' ? 3 : callsMin(4),
    )
  })

  test('any call stalls and is done after the DELETE was repeated', async () => {
    expect((await explored(['stalls and is done late'], doneLast, () => makeScenario(4))).broken).toEqual([])
  })

  test.each<FateName>([
    'is throttled',
    'gets a server error',
    'loses its connection',
    'stalls',
    'is not done',
  ])('every call %s until the budget ends', async kind => {
    expect(await disturbed([[kind, 'always']])).toEqual([])
  })
})

const make = fc.constantFrom(makeScenario, makePaged)

/** At most 60 runs per test, so that no test takes long on a busy machine. */
const rounds = isFull ? [1, 2, 3, 4, 5] : [1]
const numRuns = isFull ? 60 : 30

test.each(rounds)('a removal with any two faults at any two calls keeps every promise (%i)', async () => {
  const fated = fc.tuple(fc.constantFrom(...faultNames), fc.integer({ min: 1, max: 12 }))
  await fc.assert(
    fc.asyncProperty(fated, fated, fc.boolean(), make, async (one, other, isLateLast, make) => {
      expect(await disturbed([one, other], isLateLast, make)).toEqual([])
    }),
    { numRuns },
  )
})

test.each(rounds)('processes keep every promise, in any order of their calls (%i)', async () => {
  const crash = fc.tuple(fc.constantFrom(...crashNames), fc.integer({ min: 1, max: 12 }))
  const crashed = fc.array(
    crash.map((fated): Attempt => ({ fates: [fated] })),
    { maxLength: 2 },
  )
  const client = crashed.map(attempts => [...attempts, {}])
  const others = fc.subarray(['link', 'move', 'erase', { by: run }] as Schedule['processes'][0][0][])
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      client,
      client,
      others,
      fc.constantFrom(0, 500, 3000),
      make,
      async (order, one, other, alone, lateMs, make) => {
        const processes = [one, other, ...alone.map(step => [step])]
        const { broken } = await explore(await make(4), { processes, order, lateMs })
        expect(broken).toEqual([])
      },
    ),
    { numRuns },
  )
})
