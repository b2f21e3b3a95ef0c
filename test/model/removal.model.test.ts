import { describe, expect, test } from 'vitest'
import { described, joining, type Run, run, three, two } from './run.ts'

/** Searches all states of a run. The expected number of states detects a search that stops too early. */
function holds(states: number, scenario: Run) {
  const result = run(scenario)
  expect(described(result)).toBeUndefined()
  expect(result.states).toBe(states)
}

const malformed: Run = { users: two, attempts: [2], holds: 'a malformed removal', expiring: 1 }

describe('a removal keeps its promises with any crashes', () => {
  test.each<[string, number, Run]>([
    ['one client', 1_196, { users: three, attempts: [3] }],
    ['one client, pages of two', 1_107, { users: three, attempts: [3], pageSize: 2 }],
    ['one client, no members', 54, { users: [], attempts: [3] }],
    ['one client, a count too high', 215, { users: two, attempts: [3], drift: 1 }],
    ['one client, a count too low', 215, { users: two, attempts: [3], drift: -1 }],
    ['two clients', 26_542, { users: three, attempts: [2, 2] }],
    ['two clients, pages of two', 23_051, { users: three, attempts: [2, 2], pageSize: 2 }],
    ['three clients', 13_013, { users: two, attempts: [2, 1, 1] }],
    ['two clients, a linker', 36_316, { users: joining, attempts: [2, 2], writers: ['linker'] }],
    ['two clients, a mover', 49_750, { users: three, attempts: [2, 1], writers: ['mover'] }],
    ['two clients, an eraser', 51_844, { users: three, attempts: [2, 1], writers: ['eraser'] }],
    ['all other writers', 16_973, { users: joining, attempts: [2], writers: ['linker', 'mover', 'eraser'] }],
  ])('%s: %i states', (_, states, scenario) => holds(states, scenario))
})

describe('an abandoned removal is finished by the scheduled function', () => {
  test.each<[string, number, Run]>([
    ['one client, two runs', 16_151, { users: three, attempts: [1], runs: 2 }],
    ['two clients, a run', 69_929, { users: three, attempts: [1, 1], runs: 1 }],
    ['one client, a run, a linker', 22_695, { users: joining, attempts: [2], runs: 1, writers: ['linker'] }],
    ['one client, a run, a mover', 69_968, { users: three, attempts: [2], runs: 1, writers: ['mover'] }],
    ['one client, two runs, a malformed removal', 4_408, { ...malformed, runs: 2 }],
  ])('%s: %i states', (_, states, scenario) => holds(states, scenario))
})

describe('a removal keeps its promises although a Query shows late', () => {
  test.each<[string, number, Run]>([
    ['a link', 37_652, { users: joining, attempts: [2, 2], writers: ['linker'], late: ['links'] }],
    [
      'a link of the last user',
      19_086,
      { users: ['saml', 'saml', 'not'], attempts: [2, 1], writers: ['linker'], late: ['links'] },
    ],
    [
      'two links, pages of two',
      1_741,
      {
        users: ['not', 'saml', 'not'],
        attempts: [2],
        writers: ['linker', 'linker'],
        late: ['links'],
        pageSize: 2,
      },
    ],
    ['a move', 50_924, { users: three, attempts: [2, 1], writers: ['mover'], late: ['leaves'] }],
    ['an erasure', 53_018, { users: three, attempts: [2, 1], writers: ['eraser'], late: ['leaves'] }],
    [
      'a link, with a mover',
      139_731,
      { users: joining, attempts: [2, 2], writers: ['linker', 'mover'], late: ['links'] },
    ],
  ])('%s: %i states', (_, states, scenario) => holds(states, scenario))
})

describe('the same list is repeated, or none', () => {
  test.each<[string, number, Run]>([
    ['two clients, a rule breaker', 3_374, { users: joining, attempts: [2, 2], writers: ['rule breaker'] }],
    ['two clients, TTL', 4_408, { users: two, attempts: [2, 2], writers: ['TTL'] }],
    ['a run, a rule breaker', 1_852, { users: joining, attempts: [2], runs: 1, writers: ['rule breaker'] }],
  ])('%s: %i states', (_, states, scenario) => holds(states, scenario))
})

describe('a removal clears both kinds of links while a mover clears one', () => {
  test.each<[string, number, Run]>([
    ['one client', 5_786, { users: ['both', 'saml', 'sso'], attempts: [2], writers: ['mover'] }],
    ['two clients', 9_722, { users: ['both', 'sso'], attempts: [2, 1], writers: ['mover'] }],
    ['two movers', 2_235, { users: ['both', 'both'], attempts: [2], writers: ['mover', 'mover'] }],
  ])('%s: %i states', (_, states, scenario) => holds(states, { ...scenario, twoWays: true }))
})

describe('a removal keeps its promises although the table contains', () => {
  const old: Run = { users: two, attempts: [2], holds: 'an older removal' }
  const malformed: Run = { users: ['saml', 'unlinked'], attempts: [2], holds: 'a malformed removal' }
  test.each<[string, number, Run]>([
    ['expires_at of any value', 631, { users: three, attempts: [2], expiring: 5 }],
    ['an older removal', 2_573, { ...old, attempts: [2, 2] }],
    ['an older removal with its marks', 1_446, { ...old, attempts: [2, 1], expiring: 3 }],
    [
      'an older removal with its marks, with a linker and a mover',
      3_857,
      {
        ...old,
        users: joining,
        expiring: 6,
        writers: ['linker', 'mover'],
      },
    ],
    ['a malformed removal', 2_423, { ...malformed, attempts: [2, 2] }],
    ['a malformed removal, with its marks', 1_366, { ...malformed, attempts: [2, 1], expiring: 3 }],
    ['a malformed removal, with three clients', 2_613, { ...malformed, attempts: [1, 1, 1], expiring: 2 }],
    [
      'a malformed removal, with a mover',
      301,
      {
        ...malformed,
        users: ['both', 'unlinked'],
        twoWays: true,
        expiring: 2,
        writers: ['mover'],
      },
    ],
  ])('%s: %i states', (_, states, scenario) => holds(states, scenario))
})

describe.runIf(process.env.TEST_FULL)('a removal keeps its promises in wider searches', () => {
  test.each<[string, number, Run]>([
    ['three clients', 120_271, { users: three, attempts: [1, 1, 1], writers: ['mover'] }],
    ['two clients of three attempts', 68_774, { users: three, attempts: [3, 3] }],
    [
      'two clients, a linker shown late, two movers',
      238_279,
      { users: joining, attempts: [2, 2], writers: ['linker', 'mover', 'mover'], late: ['links'] },
    ],
    [
      'two clients, all other writers',
      291_600,
      { users: joining, attempts: [2, 1], writers: ['linker', 'mover', 'eraser'] },
    ],
    [
      'two clients, two kinds of links, two movers',
      31_702,
      { users: ['both', 'both'], attempts: [2, 1], writers: ['mover', 'mover'], twoWays: true },
    ],
  ])('%s: %i states', (_, states, scenario) => holds(states, scenario))
})
