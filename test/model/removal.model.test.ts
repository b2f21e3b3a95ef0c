import { describe, expect, test } from 'vitest'
import { described, joining, type Run, run, three, two } from './run.ts'

type Search = [name: string, states: number, run: Run]

const old: Run = { users: two, attempts: [2], holds: 'an older removal' }
const malformed: Run = { users: ['saml', 'unlinked'], attempts: [2], holds: 'a malformed removal' }
const linker: Run = { users: joining, attempts: [2, 2], writers: ['linker'] }
const mover: Run = { users: three, attempts: [2, 1], writers: ['mover'] }
const eraser: Run = { ...mover, writers: ['eraser'] }
const twoWays: Run = { users: ['both', 'saml', 'sso'], attempts: [2], writers: ['mover'], twoWays: true }
const links: Run = { users: joining, attempts: [2, 2], writers: ['linker'], late: ['links'] }

const searches: Record<string, Search[]> = {
  'with any crashes': [
    ['one client', 1_196, { users: three, attempts: [3] }],
    ['one client, pages of two', 1_107, { users: three, attempts: [3], pageSize: 2 }],
    ['one client, no members', 54, { users: [], attempts: [3] }],
    ['one client, a count too high', 215, { users: two, attempts: [3], drift: 1 }],
    ['one client, a count too low', 215, { users: two, attempts: [3], drift: -1 }],
    ['two clients', 26_542, { users: three, attempts: [2, 2] }],
    ['two clients, pages of two', 23_051, { users: three, attempts: [2, 2], pageSize: 2 }],
    ['two clients of three attempts', 68_774, { users: three, attempts: [3, 3] }],
    ['three clients', 13_013, { users: two, attempts: [2, 1, 1] }],
    ['three clients, a mover', 120_271, { ...mover, attempts: [1, 1, 1] }],
    ['two clients, a linker', 36_316, linker],
    ['two clients, a mover', 49_750, mover],
    ['two clients, an eraser', 51_844, eraser],
    ['all other writers', 16_973, { ...linker, attempts: [2], writers: ['linker', 'mover', 'eraser'] }],
    [
      'two clients, all other writers',
      291_600,
      { ...mover, users: joining, writers: ['linker', 'mover', 'eraser'] },
    ],
  ],
  'when the scheduled function finishes it': [
    ['one client, two runs', 16_151, { users: three, attempts: [1], runs: 2 }],
    ['two clients, a run', 69_929, { users: three, attempts: [1, 1], runs: 1 }],
    ['one client, a run, a linker', 22_695, { ...linker, attempts: [2], runs: 1 }],
    ['one client, a run, a mover', 69_968, { ...mover, attempts: [2], runs: 1 }],
    ['two runs, a malformed removal', 4_408, { ...malformed, users: two, expiring: 1, runs: 2 }],
  ],
  'although a Query shows late': [
    ['a link', 37_652, links],
    ['a link of the last user', 19_086, { ...links, users: ['saml', 'saml', 'not'], attempts: [2, 1] }],
    [
      'two links, pages of two',
      1_741,
      { ...links, users: ['not', 'saml', 'not'], attempts: [2], writers: ['linker', 'linker'], pageSize: 2 },
    ],
    ['a move', 50_924, { ...mover, late: ['leaves'] }],
    ['an erasure', 53_018, { ...eraser, late: ['leaves'] }],
    ['a link, with a mover', 139_731, { ...links, writers: ['linker', 'mover'] }],
    ['a link, with two movers', 238_279, { ...links, writers: ['linker', 'mover', 'mover'] }],
  ],
  'and repeats its list, or none, with': [
    ['two clients, a rule breaker', 3_374, { ...linker, writers: ['rule breaker'] }],
    ['two clients, TTL', 4_408, { users: two, attempts: [2, 2], writers: ['TTL'] }],
    ['a run, a rule breaker', 1_852, { ...linker, attempts: [2], runs: 1, writers: ['rule breaker'] }],
  ],
  'while a mover clears one of both kinds of links': [
    ['one client', 5_786, twoWays],
    ['two clients', 9_722, { ...twoWays, users: ['both', 'sso'], attempts: [2, 1] }],
    ['two movers', 2_235, { ...twoWays, users: ['both', 'both'], writers: ['mover', 'mover'] }],
    [
      'two clients, two movers',
      31_702,
      { ...twoWays, users: ['both', 'both'], attempts: [2, 1], writers: ['mover', 'mover'] },
    ],
  ],
  'although the table contains': [
    ['expires_at of any value', 631, { users: three, attempts: [2], expiring: 5 }],
    ['an older removal', 2_573, { ...old, attempts: [2, 2] }],
    ['an older removal with its marks', 1_446, { ...old, attempts: [2, 1], expiring: 3 }],
    [
      'an older removal with its marks, with a linker and a mover',
      3_857,
      { ...old, users: joining, expiring: 6, writers: ['linker', 'mover'] },
    ],
    ['a malformed removal', 2_423, { ...malformed, attempts: [2, 2] }],
    ['a malformed removal, with its marks', 1_366, { ...malformed, attempts: [2, 1], expiring: 3 }],
    ['a malformed removal, with three clients', 2_613, { ...malformed, attempts: [1, 1, 1], expiring: 2 }],
    [
      'a malformed removal, with a mover',
      301,
      { ...malformed, users: ['both', 'unlinked'], twoWays: true, expiring: 2, writers: ['mover'] },
    ],
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
