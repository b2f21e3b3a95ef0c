import { describe, expect, test } from 'vitest'
import type { Invariant } from './invariants.ts'
import type { Mistake, Rules } from './rules.ts'
import { begun, type Scene } from './scene.ts'
import { type Result, search } from './search.ts'

type Run = Scene & Partial<Rules>

const run = ({ pageSize = 1, twoWays = false, late = [], mistake, ...scene }: Run): Result =>
  search(begun(scene), { pageSize, twoWays, late, mistake })

const retold = ({ violation }: Result) =>
  violation && `${violation.invariant}, but:\n  ${violation.trace.join('\n  ')}`

/** Searches a run to its end. The number of states is what it is; that it is known keeps a search from becoming empty. */
function holds(states: number, scene: Run) {
  const result = run(scene)
  expect(retold(result)).toBeUndefined()
  expect(result.states).toBe(states)
}

const two: Scene['users'] = ['saml', 'saml']
const three: Scene['users'] = ['saml', 'saml', 'saml']
const joining: Scene['users'] = ['not', 'saml', 'saml']
const garbled: Run = { users: two, tries: [2], holds: 'a garbled removal', expiring: 1 }

describe('a removal keeps its promises, whatever crashes in between', () => {
  test.each<[string, number, Run]>([
    ['one client', 1_196, { users: three, tries: [3] }],
    ['one client, pages of two', 1_107, { users: three, tries: [3], pageSize: 2 }],
    ['one client, no members', 54, { users: [], tries: [3] }],
    ['one client, a count too high', 213, { users: two, tries: [3], drift: 1 }],
    ['one client, a count too low', 213, { users: two, tries: [3], drift: -1 }],
    ['two clients', 26_542, { users: three, tries: [2, 2] }],
    ['two clients, pages of two', 23_051, { users: three, tries: [2, 2], pageSize: 2 }],
    ['three clients', 13_013, { users: two, tries: [2, 1, 1] }],
    ['two clients, a linker', 36_316, { users: joining, tries: [2, 2], writers: ['linker'] }],
    ['two clients, a mover', 49_750, { users: three, tries: [2, 1], writers: ['mover'] }],
    ['two clients, an eraser', 51_844, { users: three, tries: [2, 1], writers: ['eraser'] }],
    ['all other writers', 16_973, { users: joining, tries: [2], writers: ['linker', 'mover', 'eraser'] }],
  ])('%s: %i states', (_, states, scene) => holds(states, scene))
})

describe('a removal that a client gives up is finished by the scheduled function', () => {
  test.each<[string, number, Run]>([
    ['one client, two runs', 16_151, { users: three, tries: [1], runs: 2 }],
    ['two clients, a run', 69_929, { users: three, tries: [1, 1], runs: 1 }],
    ['one client, a run, a linker', 22_695, { users: joining, tries: [2], runs: 1, writers: ['linker'] }],
    ['one client, a run, a mover', 69_968, { users: three, tries: [2], runs: 1, writers: ['mover'] }],
    ['one client, two runs, a garbled removal', 4_408, { ...garbled, runs: 2 }],
  ])('%s: %i states', (_, states, scene) => holds(states, scene))
})

describe('a removal keeps its promises, though a Query shows late', () => {
  test.each<[string, number, Run]>([
    ['a link', 37_652, { users: joining, tries: [2, 2], writers: ['linker'], late: ['links'] }],
    [
      'a link of the last user',
      19_086,
      { users: ['saml', 'saml', 'not'], tries: [2, 1], writers: ['linker'], late: ['links'] },
    ],
    [
      'two links, pages of two',
      1_741,
      {
        users: ['not', 'saml', 'not'],
        tries: [2],
        writers: ['linker', 'linker'],
        late: ['links'],
        pageSize: 2,
      },
    ],
    ['a move', 50_924, { users: three, tries: [2, 1], writers: ['mover'], late: ['leaves'] }],
    ['an erasure', 53_018, { users: three, tries: [2, 1], writers: ['eraser'], late: ['leaves'] }],
    [
      'a link, and there is a mover',
      139_731,
      { users: joining, tries: [2, 2], writers: ['linker', 'mover'], late: ['links'] },
    ],
  ])('%s: %i states', (_, states, scene) => holds(states, scene))
})

describe('a removal clears either way of being linked, while a mover takes one away', () => {
  test.each<[string, number, Run]>([
    ['one client', 5_786, { users: ['both', 'saml', 'sso'], tries: [2], writers: ['mover'] }],
    ['two clients', 9_722, { users: ['both', 'sso'], tries: [2, 1], writers: ['mover'] }],
    ['two movers', 2_235, { users: ['both', 'both'], tries: [2], writers: ['mover', 'mover'] }],
  ])('%s: %i states', (_, states, scene) => holds(states, { ...scene, twoWays: true }))
})

describe('a removal keeps its promises, though the table holds', () => {
  const old: Run = { users: two, tries: [2], holds: 'an older removal' }
  const garbled: Run = { users: ['saml', 'unlinked'], tries: [2], holds: 'a garbled removal' }
  test.each<[string, number, Run]>([
    ['expiries of any value', 631, { users: three, tries: [2], expiring: 5 }],
    ['an older removal', 2_573, { ...old, tries: [2, 2] }],
    ['an older removal with its marks', 1_446, { ...old, tries: [2, 1], expiring: 3 }],
    [
      'an older removal with its marks, and there are a linker and a mover',
      3_857,
      {
        ...old,
        users: joining,
        expiring: 6,
        writers: ['linker', 'mover'],
      },
    ],
    ['a removal that is garbled', 2_423, { ...garbled, tries: [2, 2] }],
    ['a removal that is garbled, with its marks', 1_366, { ...garbled, tries: [2, 1], expiring: 3 }],
    ['a removal that is garbled, and three clients', 2_613, { ...garbled, tries: [1, 1, 1], expiring: 2 }],
    [
      'a removal that is garbled, and there is a mover',
      301,
      {
        ...garbled,
        users: ['both', 'unlinked'],
        twoWays: true,
        expiring: 2,
        writers: ['mover'],
      },
    ],
  ])('%s: %i states', (_, states, scene) => holds(states, scene))
})

describe.runIf(process.env.TEST_FULL)('a removal keeps its promises in wider searches', () => {
  test.each<[string, number, Run]>([
    ['three clients', 120_271, { users: three, tries: [1, 1, 1], writers: ['mover'] }],
    ['two clients of three tries', 68_774, { users: three, tries: [3, 3] }],
    [
      'two clients, a linker seen late, two movers',
      238_279,
      { users: joining, tries: [2, 2], writers: ['linker', 'mover', 'mover'], late: ['links'] },
    ],
    [
      'two clients, all other writers',
      291_600,
      { users: joining, tries: [2, 1], writers: ['linker', 'mover', 'eraser'] },
    ],
    [
      'two clients, two ways, two movers',
      31_702,
      { users: ['both', 'both'], tries: [2, 1], writers: ['mover', 'mover'], twoWays: true },
    ],
  ])('%s: %i states', (_, states, scene) => holds(states, scene))
})

const list = 'a list names exactly the users linked when the removal began'
const nobodyLinked = 'once a list is told, nobody is linked to the provider'
const equallyLong = 'once a list is told, its edges are kept exactly as long as its tombstone'
const again: Run = { users: two, tries: [2] }
const linker: Run = { users: joining, tries: [1], writers: ['linker'] }
const mover: Run = { users: two, tries: [2], writers: ['mover'] }

describe('the search finds', () => {
  test.each<[Mistake, Invariant, Run]>([
    ['it lists before it begins', list, linker],
    ['it finishes before it unlinks', nobodyLinked, again],
    ['it marks before it has unlinked', nobodyLinked, again],
    ['it deletes the edge instead of marking it', list, again],
    ['it lists what this try unlinked', list, again],
    ['it reads eventually consistently', list, again],
    ['it reads the first page only', list, again],
    ['it does not settle', list, { ...linker, late: ['links'] }],
    ['it settles until the count is right', 'a removal never sticks', { ...again, drift: 1 }],
    ['it judges the time after the reading', list, { ...linker, late: ['links'] }],
    ['it suspects too few members only', list, { ...mover, late: ['leaves'] }],
    ['it unlinks unconditionally', 'a link to another provider is never touched', mover],
    ['it does not try again when refused', nobodyLinked, { users: ['both'], tries: [1], twoWays: true }],
    ['it tries again once only', nobodyLinked, { ...mover, users: ['both'], twoWays: true }],
    ['it takes any expiry for a mark', nobodyLinked, { ...again, expiring: 1 }],
    [
      'it keeps what an older removal left',
      nobodyLinked,
      { ...again, holds: 'an older removal', expiring: 1 },
    ],
    ['it goes by its own values when another has begun', equallyLong, { ...again, tries: [1, 1] }],
    ['it sets the retention anew with each try', equallyLong, again],
    [
      'it replaces what another has mended',
      equallyLong,
      { users: two, tries: [1, 1], holds: 'a garbled removal' },
    ],
    ['it knows no removed provider', 'nobody is told 404', again],
    ['the mover always deletes the edge', list, mover],
  ])('the mistake that %s: "%s" breaks', (mistake, invariant, scene) => {
    const result = run({ ...scene, mistake })
    expect(result.violation?.invariant, retold(result)).toBe(invariant)
  })

  test('the limit: a link and a leave, both committed just before the removal, that a Query shows late', () => {
    const result = run({
      users: joining,
      tries: [1],
      writers: ['linker', 'mover'],
      late: ['links', 'leaves'],
    })
    expect(result.violation?.invariant, retold(result)).toBe(list)
  })
})
