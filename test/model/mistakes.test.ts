import { describe, expect, test } from 'vitest'
import type { Invariant } from './invariants.ts'
import { described, joining, type Run, run, two } from './run.ts'

const list = 'a list names exactly the users linked when the removal began'
const noneLinked = 'once a list is received, no user is linked to the provider'
const no404 = 'no client receives 404 before TTL deletes the list'
const again: Run = { users: two, attempts: [2] }
const linker: Run = { users: joining, attempts: [1], writers: ['linker'] }
const pages = { pageSize: 1 } as const
const stranger = 'a user whom a writer links to the removed provider is not changed'
const mover: Run = { users: two, attempts: [2], writers: ['mover'] }

describe('the search finds', () => {
  test.each<[string, Invariant, Run]>([
    ['it lists before it begins', list, linker],
    ['it finishes before it unlinks', noneLinked, again],
    ['it marks before it has unlinked', noneLinked, again],
    ['it deletes the membership instead of marking it', no404, again],
    ['it lists what this attempt unlinked', list, again],
    ['it reads eventually consistently', list, again],
    ['it reads the first page only', list, { ...again, ...pages }],
    ['it does not go round', list, { ...again, ...pages }],
    ['it does not settle', list, { ...linker, late: ['links'] }],
    ['it does not settle', list, { ...linker, ...pages, late: ['links'] }],
    ['it does not settle', list, { ...mover, ...pages, late: ['leaves'] }],
    [
      'it believes the right number',
      list,
      { ...linker, writers: ['linker', 'mover'], late: ['links', 'leaves'] },
    ],
    ['it unlinks unconditionally', 'a link to another provider is never changed', mover],
    ['it does not find a removed provider', no404, again],
    ['it repeats every membership', list, { ...again, users: ['linked', 'not'], writers: ['rule breaker'] }],
    [
      'it repeats every membership',
      list,
      { ...again, ...pages, users: ['linked', 'linked', 'not'], writers: ['rule breaker'] },
    ],
    ['it repeats a shorter list', list, { ...again, ...pages, writers: ['TTL'] }],
    ['it sends a shorter answer', list, { ...again, ...pages, writers: ['TTL'] }],
    [
      'it unlinks when another has finished',
      stranger,
      { users: ['linked', 'linked', 'not'], ...pages, attempts: [1, 1], writers: ['rule breaker'] },
    ],
    ['it repeats a shorter list', list, { ...again, writers: ['TTL'] }],
    [
      'it believes its list when another has finished',
      list,
      { ...again, attempts: [1, 1], writers: ['TTL'] },
    ],
    [
      'it believes its list when another has finished',
      list,
      { ...again, ...pages, attempts: [1, 1], writers: ['TTL'] },
    ],
    ['the mover always deletes the membership', list, mover],
  ])('the mistake that %s: "%s" breaks', (mistake, invariant, scenario) => {
    const result = run({ ...scenario, mistake })
    expect(result.violation?.invariant, described(result)).toBe(invariant)
  })
})
