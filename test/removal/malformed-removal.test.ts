import { describe, expect, test } from 'vitest'
import { membershipItem, type Item, providerItem, userItem } from '../../lib/store/items.ts'
import { members, providerKey, providers } from '../../lib/store/keys.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { boundaryValues } from '../support/boundary-values.ts'
import { type World, world } from '../support/world.ts'

const weekSeconds = 7 * 86_400
const weekFrom = (w: World) => w.clock.nowMs() / 1000 + weekSeconds
const isoNow = (w: World) => new Date(w.clock.nowMs()).toISOString()
const membersOf = (id: number) => [id * 10 + 1, id * 10 + 2] as const
const providerOf = (items: Item[], id: number) =>
  items.find(({ PK, SK }) => PK === providers.PK && SK === providerKey(id).SK) as Item
const storedProvider = async (w: World, id: number) => providerOf(await w.items(), id)

/** Stores a provider with two linked users; `overrides` replaces attributes of the items. */
async function fill(w: World, id: number, overrides: { provider?: Item; membership?: Item } = {}) {
  const linked = membersOf(id).flatMap(n => [
    userItem(sampleUser(n, { saml: id })),
    { ...membershipItem(id, userId(n)), ...overrides.membership },
  ])
  await w.put(...linked, { ...providerItem(sampleProvider(id), 2), ...overrides.provider })
}

/** Expects that a removal lists and unlinks both users, keeps all items equally long, and repeats its answer. */
async function removes(w: World, id: number, name = '') {
  const first = await w.remove(id)
  expect(first.status, `${name}: ${first.text}`).toBe(200)
  const userIds = membersOf(id).map(userId)
  expect(
    first.json().data.affected_user.map((user: Item) => user.id),
    name,
  ).toEqual(userIds)
  const items = await w.items()
  const at = (PK: string) => items.filter(item => item.PK === PK)
  for (const one of userIds) expect(at(`USER#${one}`)[0], name).not.toHaveProperty('saml_provider_id')
  const provider = providerOf(items, id)
  expect(provider, name).toMatchObject({ state: 'removed', expires_at: provider.retained_until })
  for (const membership of at(members(id).PK))
    expect(membership.expires_at, name).toBe(provider.retained_until)
  const again = await w.remove(id)
  expect([again.status, again.text], name).toEqual([200, first.text])
  return provider
}

/** Runs the action once for each value, in daily tests for a third of them, each time with another provider of one table. */
async function withEach(
  all: typeof boundaryValues,
  action: (w: World, id: number, value: unknown, name: string) => Promise<void>,
) {
  const w = await world()
  const values = process.env.TEST_FULL ? all : all.filter((_, index) => (all.length - 1 - index) % 3 === 0)
  for (const [index, [name, value]] of values.entries()) {
    w.logged.length = 0
    await action(w, index + 1, value, name)
  }
}

const unfinished = {
  state: 'removing',
  removal_id: 'r',
  removal_started_at: '2026-01-30T00:00:00.000Z',
  removed_by: 'first',
  retained_until: 1_900_000_000,
}

describe('the user of a membership whose expires_at is not the mark of this removal is unlinked', () => {
  const expiries: typeof boundaryValues = [
    ...boundaryValues,
    ['a past time', 1_700_000_000],
    ['a future time', 4_000_000_000],
  ]

  test('when the removal begins', () =>
    withEach(expiries, async (w, id, expires_at, name) => {
      await fill(w, id, { membership: { expires_at } })
      await removes(w, id, name)
    }))

  test('when the removal continues', () =>
    withEach(expiries, async (w, id, expires_at, name) => {
      await fill(w, id, { provider: unfinished, membership: { expires_at } })
      expect(await removes(w, id, name)).toMatchObject({ ...unfinished, state: 'removed' })
    }))
})

describe('removal attributes of an active provider', () => {
  const names = [
    'removal_id',
    'removal_started_at',
    'removed_by',
    'retained_until',
    'removed_at',
    'expires_at',
  ]

  test('are replaced when its removal begins', () =>
    withEach(boundaryValues, async (w, id, value, name) => {
      await fill(w, id, { provider: Object.fromEntries(names.map(attribute => [attribute, value])) })
      expect(await removes(w, id, name), name).toMatchObject({
        removal_id: expect.stringMatching(/^[\da-f-]{36}$/),
        removal_started_at: isoNow(w),
        removed_by: 'machine',
        retained_until: weekFrom(w),
        removed_at: isoNow(w),
      })
      expect(w.logged.map(({ event }) => event)).toContain('removal_finished')
    }))

  test('do not make its memberships marked: a removed provider that is active again', async () => {
    const w = await world()
    await fill(w, 7)
    const old = await removes(w, 7)
    const left = Object.fromEntries(names.map(name => [name, old[name]]))
    await w.put({ ...providerItem(sampleProvider(7), 2), ...left })
    for (const n of membersOf(7)) await w.put(userItem(sampleUser(n, { saml: 7 })))
    w.clock.advance(1000)
    expect((await removes(w, 7)).removal_id).not.toBe(old.removal_id)
  })
})

describe('an unfinished removal', () => {
  /** Stores an unfinished removal of which the first user is unlinked and marked. */
  async function halfWay(w: World, id: number, overrides: Item) {
    const [first] = membersOf(id)
    await fill(w, id, { provider: { ...unfinished, ...overrides } })
    await w.put(userItem(sampleUser(first)), membershipItem(id, userId(first), unfinished.retained_until))
  }

  test('with a malformed retained_until gets a new one', () =>
    withEach([...boundaryValues, ['absent', undefined]], async (w, id, retained_until, name) => {
      await halfWay(w, id, { retained_until })
      const repaired = { ...unfinished, state: 'removed', retained_until: weekFrom(w) }
      expect(await removes(w, id, name), name).toMatchObject(repaired)
    }))

  const ahead: (typeof boundaryValues)[0] = ['a time ahead', '2026-01-31T00:05:00.001Z']
  const otherTypes = boundaryValues.filter(([, value]) => typeof value !== 'string')
  test.each([
    ['removal_id', otherTypes, () => expect.stringMatching(/^[\da-f-]{36}$/)],
    ['removal_started_at', [...boundaryValues, ahead], isoNow],
  ])('with a malformed %s gets a new one, and keeps its marks', (attribute, values, valid) =>
    withEach([...values, ['absent', undefined]], async (w, id, value, name) => {
      await halfWay(w, id, { [attribute]: value })
      const repaired = { ...unfinished, state: 'removed', [attribute]: valid(w) }
      expect(await removes(w, id, name), name).toMatchObject(repaired)
      expect(w.logged).toContainEqual(expect.objectContaining({ event: 'users_unlinked', newly_unlinked: 1 }))
      expect(w.logged.map(({ event }) => event)).not.toContain('removal_started')
    }),
  )

  test.each([
    ['with valid attributes', {}],
    ['with a past retained_until', { retained_until: 1 }],
    ['with a removal_started_at of a clock ahead', { removal_started_at: '2026-01-31T00:05:00.000Z' }],
  ])('%s keeps them', async (_, overrides) => {
    const w = await world()
    await halfWay(w, 7, overrides)
    expect((await w.remove(7)).status).toBe(200)
    expect(await storedProvider(w, 7)).toMatchObject({ ...unfinished, ...overrides, state: 'removed' })
  })

  test('is repaired once by two clients at the same time', async () => {
    const w = await world()
    await halfWay(w, 7, { retained_until: 'soon', removal_id: 5, removal_started_at: null })
    const [one, other] = await Promise.all([w.remove(7), w.remove(7)])
    expect([one.status, other.status, one.text]).toEqual([200, 200, other.text])
    await removes(w, 7)
  })

  test('with a malformed member_count counts no members until they are read', () =>
    withEach([...boundaryValues, ['absent', undefined]], async (w, id, member_count, name) => {
      await halfWay(w, id, { member_count })
      const found = await w.deps.findProvider(id, new AbortController().signal)
      expect(found?.memberCount, name).toBe(0)
    }))
})

test('a removed provider with a malformed removal is answered as long as it is stored', () =>
  withEach(boundaryValues, async (w, id, value, name) => {
    await fill(w, id)
    await removes(w, id)
    await w.put({ ...(await storedProvider(w, id)), retained_until: value, removal_id: value })
    const before = await w.items()
    w.clock.advance(100 * weekSeconds * 1000)
    const { status, json } = await w.remove(id)
    expect([status, json().data.affected_user.length], name).toEqual([200, 2])
    expect(await w.items()).toEqual(before)
  }))
