import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  callsMin,
  crashNames,
  doneLast,
  explored,
  exploringMaxMs,
  isFull,
  type Plan,
  thenDelete,
} from './explorer.ts'
import type { FateName } from './fates.ts'
import { type Start, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
/** Makes scenarios in which a page of a Query has at most two memberships. */
const makePaged = scenarioFactory(2)
const run = 'the scheduled function'

const thenRun: Plan = fated => ({ processes: [[{ fates: [fated] }, 'move', { by: run }, {}]] })
const abandoned: Attempt = { fates: [['crashes before it', 4]] }
const duringRun: Plan = fated => ({
  processes: [[abandoned, { by: run, fates: [fated] }, 'move', { by: run }, {}]],
})

describe('a removal that crashes at any call keeps every promise', () => {
  test.each([
    ...(isFull ? [0, 1, 24, 25, 26, 60] : [1, 26]).map(
      users => ['the DELETE is repeated', users, thenDelete] as const,
    ),
    ...(isFull ? [0, 3, 26] : [3]).map(users => ['the scheduled function goes on', users, thenRun] as const),
    ...(isFull ? [0, 3, 26] : [26]).map(
      users => ['the scheduled function crashes, too', users, duringRun] as const,
    ),
  ])(
    'when %s, with %i users',
    async (_, users, plan) => {
      const { count, broken } = await explored(crashNames, plan, () => makeScenario(users))
      expect(broken).toEqual([])
      expect(count).toBeGreaterThanOrEqual(2 * callsMin(users))
    },
    exploringMaxMs,
  )
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
  ])(
    'when it crashes at any call and %s, with %i users',
    async (_, users, plan) => {
      const { count, broken } = await explored(crashNames, plan, () => makePaged(users))
      expect(broken).toEqual([])
      expect(count).toBeGreaterThanOrEqual(6 * Math.ceil(users / 2))
    },
    exploringMaxMs,
  )
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
