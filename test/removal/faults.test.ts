import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  callsMin,
  crashNames,
  doneLast,
  explore,
  explored,
  exploringMaxMs,
  faultNames,
  isFull,
  type Plan,
  type Schedule,
  thenDelete,
} from './explorer.ts'
import { type Fated, type FateName, namesOf, passing, stalls } from './fates.ts'
import { scenarioFactory } from './scenario.ts'
import type { Writer } from './others.ts'

const makeScenario = scenarioFactory()
/** Makes scenarios in which a page of a Query has at most two memberships. */
const makePaged = scenarioFactory(2)
const run = 'the scheduled function'

describe('a removal of more than one page keeps every promise', () => {
  test.each<FateName>(isFull ? faultNames : ['stalls and is done late'])('when any call %s', async kind => {
    const { broken } = await explored([kind], thenDelete, () => makePaged(isFull ? 5 : 3))
    expect(broken).toEqual([])
  })

  test('when any call stalls and is done after the DELETE was repeated', async () => {
    const { broken } = await explored(['stalls and is done late'], doneLast, () => makePaged(3))
    expect(broken).toEqual([])
  })
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

/** The first round of an attempt shows the members as they were before, in full mode four rounds: more of the same. */
const lateMs = isFull ? 1000 : 90
/** A link and an unlink just before the removal, which its Queries show late: the number of those shown is right. */
const thenLate: Plan = fated => ({ processes: [['link', 'move', { fates: [fated] }, {}]], lateMs })
const lateRun: Plan = fated => ({
  processes: [['link', 'move', { fates: [fated] }, { by: run }, {}]],
  lateMs,
})

describe('a removal whose Queries show a link and an unlink before it late keeps every promise', () => {
  test.each([
    ['the DELETE is repeated', thenLate, 3, makePaged] as const,
    ['the scheduled function goes on', lateRun, 3, makeScenario] as const,
    ...(isFull ? [['the DELETE is repeated', thenLate, 3, makeScenario] as const] : []),
  ])(
    'when it crashes at any call and %s',
    async (_, plan, users, make) => {
      const { count, broken } = await explored(crashNames, plan, () => make(users))
      expect(broken).toEqual([])
      expect(count).toBeGreaterThan(2 * callsMin(users))
    },
    exploringMaxMs,
  )

  test.each<FateName>(isFull ? faultNames : ['stalls', 'is done in half'])('when any call %s', async kind => {
    expect((await explored([kind], thenLate, () => makeScenario(3))).broken).toEqual([])
  })

  const changes: Writer[][] = [['link', 'move', 'erase'], ['link'], ['move']]
  test.each(changes.map(writers => [writers.join(', '), writers] as const))(
    'for up to 3,000 ms, after %s',
    async (_, writers) => {
      for (const make of [makeScenario, makePaged])
        for (const lateMs of [1, 999, 3000]) {
          const { broken } = await explore(await make(4), { processes: [[...writers, {}]], lateMs })
          expect(broken).toEqual([])
        }
    },
  )
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
