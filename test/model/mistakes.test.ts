import { describe, expect, test } from 'vitest'
import type { Invariant } from './invariants.ts'
import { described, joining, oneNot, type Run, run, two } from './run.ts'

const list = 'a list names exactly the users linked when the removal began'
const noneLinked = 'once a list is received, no user is linked to the provider'
const equallyLong = 'once a list is received, its memberships are kept exactly as long as its tombstone'
const again: Run = { users: two, attempts: [2] }
const linker: Run = { users: joining, attempts: [1], writers: ['linker'] }
const mover: Run = { users: two, attempts: [2], writers: ['mover'] }

describe('the search finds', () => {
  test.each<[string, Invariant, Run]>([
    ['it lists before it begins', list, linker],
    ['it finishes before it unlinks', noneLinked, again],
    ['it marks before it has unlinked', noneLinked, again],
    ['it deletes the membership instead of marking it', list, again],
    ['it lists what this attempt unlinked', list, again],
    ['it reads eventually consistently', list, again],
    ['it reads the first page only', list, again],
    ['it does not settle', list, { ...linker, late: ['links'] }],
    ['it settles until the count is right', 'a removal can always finish', { ...again, drift: 1 }],
    ['it checks the time after the read', list, { ...linker, late: ['links'] }],
    ['it lists again only for too few members', list, { ...mover, late: ['leaves'] }],
    ['it unlinks unconditionally', 'a link to another provider is never changed', mover],
    ['it does not retry a refused update', noneLinked, { users: ['both'], attempts: [1], twoWays: true }],
    ['it retries a refused update only once', noneLinked, { ...mover, users: ['both'], twoWays: true }],
    ['it accepts any expires_at as a mark', noneLinked, { ...again, expiring: 1 }],
    [
      'it keeps the attributes of an older removal',
      noneLinked,
      { ...again, holds: 'an older removal', expiring: 1 },
    ],
    ['it uses its own values when another has begun', equallyLong, { ...again, attempts: [1, 1] }],
    ['it sets a new retention with each attempt', equallyLong, again],
    [
      'it replaces what another has repaired',
      equallyLong,
      { users: two, attempts: [1, 1], holds: 'a malformed removal' },
    ],
    ['it does not find a removed provider', 'no client receives 404 before TTL deletes the list', again],
    ['it repeats every membership', list, { ...again, users: oneNot, writers: ['rule breaker'] }],
    ['it repeats a shorter list', list, { ...again, writers: ['TTL'] }],
    [
      'it believes its list when another has finished',
      list,
      { ...again, attempts: [1, 1], writers: ['TTL'] },
    ],
    ['the mover always deletes the membership', list, mover],
  ])('the mistake that %s: "%s" breaks', (mistake, invariant, scenario) => {
    const result = run({ ...scenario, mistake })
    expect(result.violation?.invariant, described(result)).toBe(invariant)
  })

  test('the limit: a Query that shows late both a link and an unlink committed just before the removal', () => {
    const result = run({
      users: joining,
      attempts: [1],
      writers: ['linker', 'mover'],
      late: ['links', 'leaves'],
    })
    expect(result.violation?.invariant, described(result)).toBe(list)
  })
})
