import { describe, expect, test } from 'vitest'
import { described, joining, type Run, run, three, two } from './run.ts'

type Search = [name: string, states: number, run: Run]

const linker: Run = { users: joining, attempts: [2, 2], writers: ['linker'] }
const mover: Run = { users: three, attempts: [2, 1], writers: ['mover'] }
const eraser: Run = { ...mover, writers: ['eraser'] }
const links: Run = { users: joining, attempts: [2, 2], writers: ['linker'], late: ['links'] }
const byOne = { pageSize: 1 } as const
const byTwo = { pageSize: 2 } as const

const searches: Record<string, Search[]> = {
  'with any crashes': [
    ['one client', 991, { users: three, attempts: [3] }],
    ['one client, no members', 51, { users: [], attempts: [3] }],
    ['one client, a count too high', 183, { users: two, attempts: [3], drift: 1 }],
    ['one client, a count too low', 183, { users: two, attempts: [3], drift: -1 }],
    ['two clients', 18_585, { users: three, attempts: [2, 2] }],
    ['two clients of three attempts', 47_759, { users: three, attempts: [3, 3] }],
    ['three clients', 8_403, { users: two, attempts: [2, 1, 1] }],
    ['three clients, a mover', 80_227, { ...mover, attempts: [1, 1, 1] }],
    ['two clients, a linker', 25_819, linker],
    ['two clients, a mover', 36_353, mover],
    ['two clients, an eraser', 37_664, eraser],
    ['all other writers', 14_599, { ...linker, attempts: [2], writers: ['linker', 'mover', 'eraser'] }],
    [
      'two clients, all other writers',
      215_647,
      { ...mover, users: joining, writers: ['linker', 'mover', 'eraser'] },
    ],
  ],
  'when the scheduled function finishes it': [
    ['one client, two runs', 11_333, { users: three, attempts: [1], runs: 2 }],
    ['two clients, a run', 47_182, { users: three, attempts: [1, 1], runs: 1 }],
    ['one client, a run, a linker', 16_261, { ...linker, attempts: [2], runs: 1 }],
    ['one client, a run, a mover', 49_798, { ...mover, attempts: [2], runs: 1 }],
  ],
  'although a Query shows late': [
    ['a link', 25_873, links],
    ['a link of the last user', 12_797, { ...links, users: ['linked', 'linked', 'not'], attempts: [2, 1] }],
    [
      'two links',
      1_652,
      { ...links, users: ['not', 'linked', 'not'], attempts: [2], writers: ['linker', 'linker'] },
    ],
    ['a move', 36_467, { ...mover, late: ['leaves'] }],
    ['an erasure', 37_778, { ...eraser, late: ['leaves'] }],
    ['a link, with a mover', 97_053, { ...links, writers: ['linker', 'mover'] }],
    [
      'a link and a move',
      3_451,
      { ...links, attempts: [2], writers: ['linker', 'mover'], late: ['links', 'leaves'] },
    ],
    ['a link, with two movers', 166_527, { ...links, writers: ['linker', 'mover', 'mover'] }],
  ],
  'page by page, when each attempt begins at any position, with': [
    ['one client', 1_791, { users: three, attempts: [3], ...byOne }],
    ['one client, pages of two', 1_928, { users: three, attempts: [3], ...byTwo }],
    ['one client, a count too high', 596, { users: two, attempts: [3], drift: 1, ...byOne }],
    ['one client, a count too low', 596, { users: two, attempts: [3], drift: -1, ...byOne }],
    ['two clients', 25_624, { users: three, attempts: [2, 2], ...byOne }],
    ['two clients, pages of two', 40_215, { users: three, attempts: [2, 2], ...byTwo }],
    ['two clients, a linker', 54_189, { ...linker, ...byOne }],
    ['two clients, a mover', 52_039, { ...mover, ...byOne }],
    ['two clients, an eraser', 9_100, { ...eraser, attempts: [1, 1], ...byOne }],
    ['a client, a run', 14_163, { users: three, attempts: [2], runs: 1, ...byOne }],
    ['a client, a run, a mover', 4_176, { users: two, attempts: [1], runs: 1, writers: ['mover'], ...byOne }],
    ['a late link', 54_243, { ...links, ...byOne }],
    [
      'late links, pages of two',
      3_758,
      { ...links, users: ['not', 'linked', 'not'], attempts: [2], writers: ['linker', 'linker'], ...byTwo },
    ],
    ['a late move', 8_769, { ...mover, attempts: [1, 1], late: ['leaves'], ...byOne }],
    [
      'a late link, a late move',
      5_637,
      { ...links, attempts: [2], writers: ['linker', 'mover'], late: ['links', 'leaves'], ...byOne },
    ],
    ['two clients, a rule breaker', 9_577, { ...linker, writers: ['rule breaker'], ...byOne }],
    ['two clients, TTL', 12_409, { users: two, attempts: [2, 2], writers: ['TTL'], ...byOne }],
    ['a run, TTL', 6_847, { users: two, attempts: [2], runs: 1, writers: ['TTL'], ...byOne }],
    [
      'a run, a rule breaker',
      5_525,
      { ...linker, attempts: [2], runs: 1, writers: ['rule breaker'], ...byOne },
    ],
  ],
  'and repeats its list, or none, with': [
    ['two clients, a rule breaker', 2_331, { ...linker, writers: ['rule breaker'] }],
    ['two clients, TTL', 3_125, { users: two, attempts: [2, 2], writers: ['TTL'] }],
    ['a run, a rule breaker', 1_314, { ...linker, attempts: [2], runs: 1, writers: ['rule breaker'] }],
  ],
}

/** Wider searches are made in the full mode only. */
const statesMax = process.env.TEST_FULL ? Number.POSITIVE_INFINITY : 15_000

describe.each(Object.entries(searches))('a removal keeps its promises %s', (_, searches) => {
  test.each(searches.filter(([, states]) => states <= statesMax))('%s: %i states', (_, states, scenario) => {
    const result = run(scenario)
    expect(described(result)).toBeUndefined()
    // Another number shows a search that stops too early.
    expect(result.states).toBe(states)
  })
})
