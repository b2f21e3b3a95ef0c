import { describe, expect, test } from 'vitest'
import { membershipItem, type Item, providerItem, userItem } from '../../lib/store/items.ts'
import { members, providerKey, providers } from '../../lib/store/keys.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { strangeValues } from '../support/strange-values.ts'
import { type World, world } from '../support/world.ts'

const weekSeconds = 7 * 86_400
const weekFrom = (w: World) => w.clock.nowMs() / 1000 + weekSeconds
const isoNow = (w: World) => new Date(w.clock.nowMs()).toISOString()
const membersOf = (id: number) => [id * 10 + 1, id * 10 + 2] as const
const providerOf = (items: Item[], id: number) =>
  items.find(({ PK, SK }) => PK === providers.PK && SK === providerKey(id).SK) as Item
const storedProvider = async (w: World, id: number) => providerOf(await w.items(), id)

/** A provider with two users linked to it, each item with what is to be strange about it. */
async function fill(w: World, id: number, strange: { provider?: Item; edge?: Item } = {}) {
  const linked = membersOf(id).flatMap(n => [
    userItem(sampleUser(n, { saml: id })),
    { ...membershipItem(id, userId(n)), ...strange.edge },
  ])
  await w.put(...linked, { ...providerItem(sampleProvider(id), 2), ...strange.provider })
}

/** The promises, whatever stood in the table: the list is whole, nobody is linked, all of it is kept equally long. */
async function removes(w: World, id: number, strange = '') {
  const first = await w.remove(id)
  expect(first.status, `${strange}: ${first.text}`).toBe(200)
  const userIds = membersOf(id).map(userId)
  expect(
    first.json().data.affected_user.map((user: Item) => user.id),
    strange,
  ).toEqual(userIds)
  const items = await w.items()
  const at = (PK: string) => items.filter(item => item.PK === PK)
  for (const one of userIds) expect(at(`USER#${one}`)[0], strange).not.toHaveProperty('saml_provider_id')
  const provider = providerOf(items, id)
  expect(provider, strange).toMatchObject({ state: 'removed', expires_at: provider.retained_until })
  for (const edge of at(members(id).PK)) expect(edge.expires_at, strange).toBe(provider.retained_until)
  const again = await w.remove(id)
  expect([again.status, again.text], strange).toEqual([200, first.text])
  return provider
}

/** The act once for each value, each time for another provider of one table. */
async function withEach(
  values: typeof strangeValues,
  act: (w: World, id: number, value: unknown, name: string) => Promise<void>,
) {
  const w = await world()
  for (const [index, [name, value]] of values.entries()) {
    w.logged.length = 0
    await act(w, index + 1, value, name)
  }
}

const under = {
  state: 'removing',
  removal_id: 'r',
  removal_started_at: '2026-01-30T00:00:00.000Z',
  removed_by: 'first',
  retained_until: 1_900_000_000,
}

describe('an expiry of a membership that is not the mark of this removal does not keep its user linked', () => {
  const expiries: typeof strangeValues = [
    ...strangeValues,
    ['a time that has passed', 1_700_000_000],
    ['a time to come', 4_000_000_000],
  ]

  test('when the removal begins', () =>
    withEach(expiries, async (w, id, expires_at, name) => {
      await fill(w, id, { edge: { expires_at } })
      await removes(w, id, name)
    }))

  test('when the removal goes on', () =>
    withEach(expiries, async (w, id, expires_at, name) => {
      await fill(w, id, { provider: under, edge: { expires_at } })
      expect(await removes(w, id, name)).toMatchObject({ ...under, state: 'removed' })
    }))
})

describe('what an older removal or another writer left on an active provider', () => {
  const names = [
    'removal_id',
    'removal_started_at',
    'removed_by',
    'retained_until',
    'removed_at',
    'expires_at',
  ]

  test('does not reach its removal', () =>
    withEach(strangeValues, async (w, id, value, name) => {
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

  test('does not pass for marks of this one: a provider put back with its memberships', async () => {
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

describe('a removal under way', () => {
  /** Half-way: the first of the two users is unlinked and marked. */
  async function halfWay(w: World, id: number, strange: Item) {
    const [first] = membersOf(id)
    await fill(w, id, { provider: { ...under, ...strange } })
    await w.put(userItem(sampleUser(first)), membershipItem(id, userId(first), under.retained_until))
  }

  test('whose retained_until cannot be right gets one', () =>
    withEach([...strangeValues, ['nothing', undefined]], async (w, id, retained_until, name) => {
      await halfWay(w, id, { retained_until })
      const mended = { ...under, state: 'removed', retained_until: weekFrom(w) }
      expect(await removes(w, id, name), name).toMatchObject(mended)
    }))

  const noTexts = strangeValues.filter(([, value]) => typeof value !== 'string')
  test.each([
    ['removal_id', noTexts, () => expect.stringMatching(/^[\da-f-]{36}$/)],
    ['removal_started_at', strangeValues, isoNow],
  ])('whose %s cannot be right gets one, and keeps its marks', (attribute, values, sound) =>
    withEach([...values, ['nothing', undefined]], async (w, id, value, name) => {
      await halfWay(w, id, { [attribute]: value })
      const mended = { ...under, state: 'removed', [attribute]: sound(w) }
      expect(await removes(w, id, name), name).toMatchObject(mended)
      expect(w.logged).toContainEqual(expect.objectContaining({ event: 'users_unlinked', newly_unlinked: 1 }))
      expect(w.logged.map(({ event }) => event)).not.toContain('removal_started')
    }),
  )

  test.each([
    ['that is intact', {}],
    ['whose time to forget has passed', { retained_until: 1 }],
    ['whose beginning is to come', { removal_started_at: '2999-01-01T00:00:00.000Z' }],
  ])('%s keeps what it is known by', async (_, strange) => {
    const w = await world()
    await halfWay(w, 7, strange)
    expect((await w.remove(7)).status).toBe(200)
    expect(await storedProvider(w, 7)).toMatchObject({ ...under, ...strange, state: 'removed' })
  })

  test('is mended once, by whichever of two clients comes first', async () => {
    const w = await world()
    await halfWay(w, 7, { retained_until: 'soon', removal_id: 5, removal_started_at: null })
    const [one, other] = await Promise.all([w.remove(7), w.remove(7)])
    expect([one.status, other.status, one.text]).toEqual([200, 200, other.text])
    await removes(w, 7)
  })

  test('whose count is no count counts nobody until the members are read', () =>
    withEach([...strangeValues, ['nothing', undefined]], async (w, id, member_count, name) => {
      await halfWay(w, id, { member_count })
      const found = await w.deps.findProvider(id, new AbortController().signal)
      expect(found?.memberCount, name).toBe(0)
    }))
})

test('a removed provider whose removal is unreadable is known for as long as it is stored', () =>
  withEach(strangeValues, async (w, id, value, name) => {
    await fill(w, id)
    await removes(w, id)
    await w.put({ ...(await storedProvider(w, id)), retained_until: value, removal_id: value })
    const before = await w.items()
    w.clock.advance(100 * weekSeconds * 1000)
    const { status, json } = await w.remove(id)
    expect([status, json().data.affected_user.length], name).toEqual([200, 2])
    expect(await w.items()).toEqual(before)
  }))
