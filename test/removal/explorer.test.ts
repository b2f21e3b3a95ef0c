import fc from 'fast-check'
import { expect, test } from 'vitest'
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
  spoiled,
  thenDelete,
} from './explorer.ts'
import { edits, type Fated, type FateName, namesOf, passing, stalls } from './fates.ts'
import type { Writer } from './others.ts'
import { linksToTwo, type Scenario, type Start, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
/** Makes scenarios in which a page of a Query has at most two memberships. */
const makePaged = scenarioFactory(2)
type Make = (users: number) => Promise<Scenario>

const old = '2026-01-01T00:00:00.000Z'
const oldRemoval = { removal_id: 'old', removal_started_at: old, removed_by: 'old', retained_until: 5 }
const starts: Record<string, Start> = {
  'an active provider with the attributes of an older removal': {
    provider: { ...oldRemoval, removed_at: old, expires_at: 5, affected_total: 3 },
    membership: { expires_at: 5 },
  },
  'an unfinished removal with a malformed retained_until': {
    provider: { ...oldRemoval, state: 'removing', retained_until: 'soon' },
    membership: { expires_at: 'soon' },
  },
  'users who have a link to another provider, too': { links: linksToTwo },
  'an unfinished removal with only malformed attributes': {
    provider: { state: 'removing', removal_id: 5 },
    membership: { expires_at: 5 },
  },
}
const madeFrom = Object.entries(starts).map(
  ([name, start]) => [name, (users: number) => makeScenario(users, start)] as const,
)

const run = 'the scheduled function'
const abandoned: Attempt = { fates: [['crashes before it', 4]] }
const thenRun: Plan = fated => ({ processes: [[{ fates: [fated] }, 'move', { by: run }, {}]] })
const duringRun: Plan = fated => ({
  processes: [[abandoned, { by: run, fates: [fated] }, 'move', { by: run }, {}]],
})
/** The first round of an attempt shows the members as they were before, in full mode four rounds: more of the same. */
const lateMs = isFull ? 1000 : 90
/** A link and an unlink just before the removal, which its Queries show late: the number of those shown is right. */
const thenLate: Plan = fated => ({ processes: [['link', 'move', { fates: [fated] }, {}]], lateMs })
const lateRun: Plan = fated => ({
  processes: [['link', 'move', { fates: [fated] }, { by: run }, {}]],
  lateMs,
})

/** Numbers of users: those of every day, and those of full mode. */
const crashed: [then: string, plan: Plan, make: Make, daily: number[], full: number[]][] = [
  ['the DELETE is repeated', thenDelete, makeScenario, [1, 50], [0, 48, 49, 99]],
  ['the scheduled function goes on', thenRun, makeScenario, [3], [0, 50]],
  ['the scheduled function crashes, too', duringRun, makeScenario, [3], [0, 50]],
  ['the DELETE of pages is repeated', thenDelete, makePaged, [3], [4, 5, 7]],
  ['the scheduled function goes on with pages', thenRun, makePaged, [], [5]],
  ['the scheduled function crashes among pages, too', duringRun, makePaged, [], [3, 5]],
  ['Queries are late', thenLate, makePaged, [3], []],
  ['Queries are late in one page', thenLate, makeScenario, [], [3]],
  ['Queries are late for the scheduled function', lateRun, makeScenario, [3], []],
  ...madeFrom.map(
    ([name, make]) => [`it began from ${name}`, thenDelete, make, [2], []] as (typeof crashed)[0],
  ),
]

test.each(
  crashed.flatMap(([then, plan, make, daily, full]) =>
    [...daily, ...(isFull ? full : [])].map(users => [then, users, plan, make] as const),
  ),
)(
  'a removal that crashes at any call keeps every promise when %s: %i users',
  async (_, users, plan, make) => {
    const { count, broken } = await explored(crashNames, plan, () => make(users))
    expect(broken).toEqual([])
    expect(count).toBeGreaterThanOrEqual(2 * callsMin(users))
  },
  exploringMaxMs,
)

const late = 'stalls and is done late'
const faulty: [
  what: string,
  plan: Plan,
  make: () => Promise<Scenario>,
  daily: FateName[],
  full: FateName[],
][] = [
  ['a removal', thenDelete, () => makeScenario(4), [...namesOf(edits), ...namesOf(stalls)], faultNames],
  ['a removal of pages', thenDelete, () => makePaged(isFull ? 5 : 3), [late], faultNames],
  ['a removal that is repeated meanwhile', doneLast, () => makeScenario(4), [], [late]],
  ['a removal of pages that is repeated meanwhile', doneLast, () => makePaged(3), [late], [late]],
  ['a removal whose end is spoiled', spoiled, () => makeScenario(3), [late], faultNames],
  ['a removal of pages whose end is spoiled', spoiled, () => makePaged(3), [late], faultNames],
  ['a removal with late Queries', thenLate, () => makeScenario(3), ['stalls', 'is done in half'], faultNames],
  ...madeFrom.map(
    ([name, make]) =>
      [
        name,
        doneLast,
        () => make(2),
        [late],
        [late, 'is sent twice', 'loses its reply'],
      ] as (typeof faulty)[0],
  ),
]

test.each(
  faulty.flatMap(([what, plan, make, daily, full]) =>
    (isFull ? full : daily).map(kind => [what, kind, plan, make] as const),
  ),
)(
  '%s keeps every promise when any call %s',
  async (_, kind, plan, make) => {
    const { count, broken } = await explored([kind], plan, make)
    expect(broken).toEqual([])
    expect(count).toBeGreaterThanOrEqual(1)
  },
  exploringMaxMs,
)

/** A DELETE with these fates, and one without. */
const disturbed = async (fates: Fated[], isLateLast = false, make = makeScenario) =>
  (await explore(await make(4), { processes: [[{ fates }, {}]], isLateLast })).broken

test.each(namesOf(passing))('a removal keeps every promise when each call %s once', async kind => {
  expect(await disturbed([[kind, 'first']])).toEqual([])
})

const lasting: FateName[] = [
  'is throttled',
  'gets a server error',
  'loses its connection',
  'stalls',
  'is not done',
  'leaves some unread',
  'is throttled for some',
]
test.each(lasting)('a removal keeps every promise when every call %s', async kind => {
  expect(await disturbed([[kind, 'always']])).toEqual([])
})

test.each(['link, move, erase', 'link', 'move'])('Queries may be late after %s', async names => {
  const writers = names.split(', ') as Writer[]
  for (const make of [makeScenario, makePaged])
    for (const lateMs of [1, 999, 3000]) {
      const { broken } = await explore(await make(4), { processes: [[...writers, {}]], lateMs })
      expect(broken).toEqual([])
    }
})

const make = fc.constantFrom(makeScenario, makePaged)

/** At most 60 runs per test, so that no test takes long on a busy machine. */
const rounds = isFull ? [1, 2, 3, 4, 5] : [1]
const numRuns = isFull ? 60 : 30

test.each(rounds)('a removal with any two faults keeps every promise (%i)', async () => {
  const fated = fc.tuple(fc.constantFrom(...faultNames), fc.integer({ min: 1, max: 12 }))
  await fc.assert(
    fc.asyncProperty(fated, fated, fc.boolean(), make, async (one, other, isLateLast, make) => {
      expect(await disturbed([one, other], isLateLast, make)).toEqual([])
    }),
    { numRuns },
  )
})

test.each(rounds)('processes keep every promise in any order of their calls (%i)', async () => {
  const crash = fc.tuple(fc.constantFrom(...crashNames), fc.integer({ min: 1, max: 12 }))
  const crashes = fc.array(
    crash.map((fated): Attempt => ({ fates: [fated] })),
    { maxLength: 2 },
  )
  const client = crashes.map(attempts => [...attempts, {}])
  const others = fc.subarray(['link', 'move', 'erase', { by: run }] as Schedule['processes'][0][0][])
  const delays = fc.constantFrom(0, 500, 3000)
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), client, client, others, delays, make, async (order, ...rest) => {
      const [one, other, alone, lateMs, make] = rest
      const processes = [one, other, ...alone.map(step => [step])]
      const { broken } = await explore(await make(4), { processes, order, lateMs })
      expect(broken).toEqual([])
    }),
    { numRuns },
  )
})
