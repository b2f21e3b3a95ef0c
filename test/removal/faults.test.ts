import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../support/fake-clock.ts'
import { faults } from './fault-kinds.ts'
import { faultRun } from './fault-run.ts'
import { stage } from './scene.ts'

const scene = stage()
const users = 4
const kinds = Object.keys(faults(AbortSignal.abort(), fakeClock()).kinds)

describe('a removal in which one call', () => {
  test.each(kinds)('%s keeps every promise, whichever call it is', async kind => {
    const { calls } = await faultRun(await scene(users), {}, false)
    for (let n = 1; n <= calls; n++) {
      for (const landsLast of kind.includes('late') ? [false, true] : [false]) {
        const run = await faultRun(await scene(users), { [n]: kind }, landsLast)
        expect(run.broken, `at call ${n}`).toEqual([])
      }
    }
    // find, begin, members, two batches of unlinkings, a mark, finish, a read
    expect(calls).toBe(8)
  })
})

/** Sixty pairs a test, so that none takes long on a busy machine. */
const rounds = process.env.TEST_FULL ? [1, 2, 3, 4, 5] : [1]

test.each(rounds)(
  'a removal in which any two calls meet any two faults keeps every promise (%i)',
  async () => {
    const fault = fc.record({ n: fc.integer({ min: 1, max: 16 }), kind: fc.constantFrom(...kinds) })
    await fc.assert(
      fc.asyncProperty(fault, fault, fc.boolean(), async (one, other, landsLast) => {
        const run = await faultRun(
          await scene(users),
          { [one.n]: one.kind, [other.n]: other.kind },
          landsLast,
        )
        expect(run.broken).toEqual([])
      }),
      { numRuns: 60 },
    )
  },
)

describe('a table that', () => {
  const always = (kind: string) => Object.fromEntries(Array.from({ length: 500 }, (_, n) => [n + 1, kind]))
  const passing = [
    'is throttled',
    'meets a server error',
    'loses its connection',
    'stalls',
    'is not done at all',
  ]
  test.each(passing)('%s for as long as the budget lasts loses nothing', async kind => {
    const run = await faultRun(await scene(users), always(kind), false)
    expect(run.broken).toEqual([])
  })
})
