import { describe, expect, test } from 'vitest'
import { callsMin, crashNames, explored, faultNames, isFull, type Plan } from './explored.ts'
import { explore } from './explorer.ts'
import type { FateName } from './fates.ts'
import { scenarioFactory } from './scenario.ts'
import type { Writer } from './writers.ts'

const makeScenario = scenarioFactory()
/** Makes scenarios in which a page of a Query has at most two memberships. */
const makePaged = scenarioFactory(0, 2)

/** Two rounds of an attempt show the members as they were before, four in full mode; more rounds would be more of the same. */
const lateMs = isFull ? 1000 : 250
/** A link and an unlink just before the removal, which its Queries show late: the number of those shown is right. */
const thenLate: Plan = fated => ({ processes: [['link', 'move', { fates: [fated] }, {}]], lateMs })
const lateRun: Plan = fated => ({
  processes: [['link', 'move', { fates: [fated] }, { by: 'the scheduled function' }, {}]],
  lateMs,
})

describe('a removal whose Queries show a link and an unlink before it late keeps every promise', () => {
  test.each([
    ['the DELETE is repeated', thenLate, 3, makeScenario],
    ['the DELETE is repeated', thenLate, 3, makePaged],
    ['the scheduled function goes on', lateRun, 3, makeScenario],
  ])('when it crashes at any call and %s', async (_, plan, users, make) => {
    const { count, broken } = await explored(crashNames, plan, () => make(users))
    expect(broken).toEqual([])
    expect(count).toBeGreaterThan(2 * callsMin(users))
  })

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
