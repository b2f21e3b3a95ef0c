import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Attempt, explore, type Schedule } from './explorer.ts'
import { crashes, type Fated, type FateName, namesOf, passing, stalls } from './fates.ts'
import { type Start, scenarioFactory } from './scenario.ts'
import type { Writer } from './writers.ts'

const makeScenario = scenarioFactory()
/** Makes scenarios in which a page of a Query has at most two memberships. */
const makePaged = scenarioFactory(0, 2)
const isFull = Boolean(process.env.TEST_FULL)
const crashNames = namesOf(crashes)
const faultNames: FateName[] = [...namesOf(passing), ...namesOf(stalls)]
const run = 'the scheduled function'

/** What follows an attempt to which something happens. */
type Plan = (fated: Fated) => Schedule
const thenDelete: Plan = fated => ({ processes: [[{ fates: [fated] }, 'move', {}]] })
const thenRun: Plan = fated => ({ processes: [[{ fates: [fated] }, 'move', { by: run }, {}]] })
const abandoned: Attempt = { fates: [['crashes before it', 4]] }
const duringRun: Plan = fated => ({
  processes: [[abandoned, { by: run, fates: [fated] }, 'move', { by: run }, {}]],
})
/** Three rounds of an attempt show the members as they were before; 3,000 ms are explored in full mode. */
const lateMs = isFull ? 3000 : 250
/** A link and an unlink just before the removal, which its Queries show late: the number of those shown is right. */
const thenLate: Plan = fated => ({
  processes: [['link', 'move', { fates: [fated] }, {}]],
  lateMs,
})
const lateRun: Plan = fated => ({
  processes: [['link', 'move', { fates: [fated] }, { by: run }, {}]],
  lateMs,
})
const doneLast: Plan = fated => ({ ...thenDelete(fated), isLateLast: true })

/** Lets each of these fates happen at each call. @returns how often, and the first promises that are broken */
async function explored(names: FateName[], plan: Plan, users: number, start?: Start, make = makeScenario) {
  let count = 0
  for (const name of names)
    for (let n = 1; ; n++) {
      const scenario = await make(users, start)
      const { happened, broken } = await explore(scenario, plan([name, n]))
      if (!happened) break
      count += 1
      if (broken.length > 0) return { count, broken: broken.map(promise => `call ${n} ${name}: ${promise}`) }
    }
  return { count, broken: [] }
}

/** A lookup, a list and an end; per 25 users an unlink and a mark. */
const callsMin = (users: number) => 3 + 2 * Math.ceil(users / 25)

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
    const { count, broken } = await explored(crashNames, plan, users)
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
    const { count, broken } = await explored(crashNames, plan, users, {}, makePaged)
    expect(broken).toEqual([])
    expect(count).toBeGreaterThanOrEqual(6 * Math.ceil(users / 2))
  })

  test.each<FateName>(isFull ? faultNames : ['stalls and is done late'])('when any call %s', async kind => {
    const { broken } = await explored([kind], thenDelete, isFull ? 5 : 3, {}, makePaged)
    expect(broken).toEqual([])
  })

  test('when any call stalls and is done after the DELETE was repeated', async () => {
    const { broken } = await explored(['stalls and is done late'], doneLast, 3, {}, makePaged)
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
    expect((await explored(crashNames, thenDelete, 2, start)).broken).toEqual([])
  })
  const late = 'stalls and is done late'
  test.each<FateName>(isFull ? ['is sent twice', 'loses its reply', late] : [late])(
    'when any call %s',
    async kind => {
      expect((await explored([kind], doneLast, 2, start)).broken).toEqual([])
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
    const { count, broken } = await explored([kind], thenDelete, 4)
    expect(broken).toEqual([])
    expect(count).toBeGreaterThanOrEqual(
      kind.startsWith('is done') || kind === 'is not done' ? 3 : callsMin(4),
    )
  })

  test('any call stalls and is done after the DELETE was repeated', async () => {
    expect((await explored(['stalls and is done late'], doneLast, 4)).broken).toEqual([])
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

describe('a removal whose Queries show a link and an unlink before it late keeps every promise', () => {
  test.each([
    ['the DELETE is repeated', thenLate, 3, makeScenario],
    ['the DELETE is repeated', thenLate, 3, makePaged],
    ['the scheduled function goes on', lateRun, 3, makeScenario],
  ])('when it crashes at any call and %s', async (_, plan, users, make) => {
    const { count, broken } = await explored(crashNames, plan, users, {}, make)
    expect(broken).toEqual([])
    expect(count).toBeGreaterThan(2 * callsMin(users))
  })

  test.each<FateName>(isFull ? faultNames : ['stalls', 'is done in half'])('when any call %s', async kind => {
    expect((await explored([kind], thenLate, 3)).broken).toEqual([])
  })

  const changes: Writer[][] = [['link', 'move', 'erase'], ['link'], ['move']]
  test.each(changes)('for up to 3,000 ms, after %s %s %s', async (...writers) => {
    for (const make of [makeScenario, makePaged])
      for (const lateMs of [1, 999, 3000]) {
        const { broken } = await explore(await make(4), { processes: [[...writers, {}]], lateMs })
        expect(broken).toEqual([])
      }
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
