import { describe, expect, test } from 'vitest'
import { described, joining, type Run, run, three, two } from './run.ts'

type Search = [name: string, states: number, run: Run]

const linker: Run = { users: joining, attempts: [2, 2], writers: ['linker'] }
const mover: Run = { users: three, attempts: [2, 1], writers: ['mover'] }
const eraser: Run = { ...mover, writers: ['eraser'] }
const links: Run = { users: joining, attempts: [2, 2], writers: ['linker'], late: ['links'] }

const searches: Record<string, Search[]> = {
  'with any crashes': [
    ['one client', 1_193, { users: three, attempts: [3] }],
    ['one client, pages of two', 1_104, { users: three, attempts: [3], pageSize: 2 }],
    ['one client, no members', 51, { users: [], attempts: [3] }],
    ['one client, a count too high', 212, { users: two, attempts: [3], drift: 1 }],
    ['one client, a count too low', 212, { users: two, attempts: [3], drift: -1 }],
    ['two clients', 26_289, { users: three, attempts: [2, 2] }],
    ['two clients, pages of two', 22_810, { users: three, attempts: [2, 2], pageSize: 2 }],
    ['two clients of three attempts', 68_207, { users: three, attempts: [3, 3] }],
    ['three clients', 11_788, { users: two, attempts: [2, 1, 1] }],
    ['three clients, a mover', 110_976, { ...mover, attempts: [1, 1, 1] }],
    ['two clients, a linker', 35_675, linker],
    ['two clients, a mover', 48_771, mover],
    ['two clients, an eraser', 50_250, eraser],
    ['all other writers', 16_607, { ...linker, attempts: [2], writers: ['linker', 'mover', 'eraser'] }],
    [
      'two clients, all other writers',
      276_045,
      { ...mover, users: joining, writers: ['linker', 'mover', 'eraser'] },
    ],
  ],
  'when the scheduled function finishes it': [
    ['one client, two runs', 16_043, { users: three, attempts: [1], runs: 2 }],
    ['two clients, a run', 66_473, { users: three, attempts: [1, 1], runs: 1 }],
    ['one client, a run, a linker', 22_459, { ...linker, attempts: [2], runs: 1 }],
    ['one client, a run, a mover', 69_440, { ...mover, attempts: [2], runs: 1 }],
  ],
  'although a Query shows late': [
    ['a link', 37_007, links],
    ['a link of the last user', 18_595, { ...links, users: ['linked', 'linked', 'not'], attempts: [2, 1] }],
    [
      'two links, pages of two',
      1_709,
      {
        ...links,
        users: ['not', 'linked', 'not'],
        attempts: [2],
        writers: ['linker', 'linker'],
        pageSize: 2,
      },
    ],
    ['a move', 49_924, { ...mover, late: ['leaves'] }],
    ['an erasure', 51_403, { ...eraser, late: ['leaves'] }],
    ['a link, with a mover', 137_221, { ...links, writers: ['linker', 'mover'] }],
    ['a link, with two movers', 233_761, { ...links, writers: ['linker', 'mover', 'mover'] }],
  ],
  'and repeats its list, or none, with': [
    ['two clients, a rule breaker', 3_172, { ...linker, writers: ['rule breaker'] }],
    ['two clients, TTL', 4_048, { users: two, attempts: [2, 2], writers: ['TTL'] }],
    ['a run, a rule breaker', 1_782, { ...linker, attempts: [2], runs: 1, writers: ['rule breaker'] }],
  ],
}

/** Wider searches are made in the full mode only. */
const statesMax = process.env.TEST_FULL ? Number.POSITIVE_INFINITY : 20_000

describe.each(Object.entries(searches))('a removal keeps its promises %s', (_, searches) => {
  test.each(searches.filter(([, states]) => states <= statesMax))('%s: %i states', (_, states, scenario) => {
    const result = run(scenario)
    expect(described(result)).toBeUndefined()
    // Another number shows a search that stops too early.
    expect(result.states).toBe(states)
  })
})
