import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../support/fake-clock.ts'
import { faults } from './fault-kinds.ts'
import { faultRun } from './fault-run.ts'
import { scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
const users = 4
const kinds = Object.keys(faults(AbortSignal.abort(), fakeClock()).kinds)

describe('a removal in which one call', () => {
  test.each(kinds)('%s keeps every promise, at any call', async kind => {
    const { calls } = await faultRun(await makeScenario(users), {}, false)
    for (let n = 1; n <= calls; n++) {
      for (const isReleasedLast of kind.includes('late') ? [false, true] : [false]) {
        const run = await faultRun(await makeScenario(users), { [n]: kind }, isReleasedLast)
        expect(run.broken, `at call ${n}`).toEqual([])
      }
    }
    // find, begin, members, two unlinks, mark, finish, users
    expect(calls).toBe(8)
  })
})

/** 60 pairs per test, so that no test takes long on a busy machine. */
const rounds = process.env.TEST_FULL ? [1, 2, 3, 4, 5] : [1]

test.each(rounds)('a removal with any two faults at any two calls keeps every promise (%i)', async () => {
  const fault = fc.record({ n: fc.integer({ min: 1, max: 16 }), kind: fc.constantFrom(...kinds) })
  await fc.assert(
    fc.asyncProperty(fault, fault, fc.boolean(), async (one, other, isReleasedLast) => {
      const run = await faultRun(
        await makeScenario(users),
        { [one.n]: one.kind, [other.n]: other.kind },
        isReleasedLast,
      )
      expect(run.broken).toEqual([])
    }),
    { numRuns: 60 },
  )
})

describe('a removal of which every call', () => {
  const always = (kind: string) => Object.fromEntries(Array.from({ length: 500 }, (_, n) => [n + 1, kind]))
  const temporary = ['is throttled', 'gets a server error', 'loses its connection', 'stalls', 'is not done']
  test.each(temporary)('%s until the budget ends keeps every promise', async kind => {
    const run = await faultRun(await makeScenario(users), always(kind), false)
    expect(run.broken).toEqual([])
  })
})
