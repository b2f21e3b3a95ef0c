import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { membershipItem, providerItem } from '../../infra/data/table/items.ts'
import type { Item } from '../../lib/store/items.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable, type Table } from '../../lib/store/table.ts'
import { boundaryValues, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

const never = new AbortController().signal

/** The store of a world. @param change replaces calls of its table */
function storeOf(w: World, change: (table: Table) => Partial<Table> = () => ({})) {
  const table = openTable(w.client, w.tableName, w.clock)
  return removalStore({ ...table, ...change(table) })
}

test('a second call of begin or finish changes nothing', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7))
  const { begin, finish } = storeOf(w)
  const removal = (id: string) => ({
    id,
    startedAtMs: w.clock.nowMs(),
    retainedUntil: w.clock.nowMs() / 1000 + 60,
  })
  const stored = async () => (await w.items())[0]

  expect((await begin(7, removal('one'), 'first', never))?.removal.id).toBe('one')
  const begun = await stored()
  w.clock.advance(1000)
  expect(await begin(7, removal('other'), 'second', never)).toBeUndefined()
  expect(await stored()).toEqual(begun)

  await expect(finish(7, removal('other'), 0, w.clock.nowMs(), never)).rejects.toThrow('removal_unfinished')
  expect(await stored()).toEqual(begun)
  const own = { ...removal('one'), retainedUntil: Number(begun?.retained_until) }
  expect(await finish(7, own, 0, w.clock.nowMs(), never)).toBe(true)
  const finished = await stored()
  // A repetition of the same call, as after a lost reply, succeeds; a later one does not.
  expect(await finish(7, own, 0, w.clock.nowMs(), never)).toBe(true)
  expect(await finish(7, own, 0, w.clock.nowMs() + 1000, never)).toBe(false)
  expect(await finish(7, own, 1, w.clock.nowMs(), never)).toBe(false)
  expect(await stored()).toEqual(finished)
  expect(await begin(7, removal('late'), 'third', never)).toBeUndefined()
})

test('a removal that begins leaves nothing of an older one', async () => {
  const w = await world()
  const old = { removed_at: '2026-01-01T00:00:00.000Z', expires_at: 1_700_000_000, affected_total: 3 }
  await w.put({ ...providerItem(sampleProvider(7), 0), ...old })
  await storeOf(w).begin(7, { id: 'r', startedAtMs: w.clock.nowMs(), retainedUntil: 2e9 }, 'me', never)
  const [item] = (await w.items()) as [Item]
  expect(item.state).toBe('removing')
  expect(Object.keys(item).filter(name => name in old)).toEqual([])
})

test.each(['absent', 'active', 'removed'])('no removal of a provider that is %s goes on', async state => {
  const w = await world()
  if (state !== 'absent') await w.put({ ...providerItem(sampleProvider(7), 0), state })
  const before = await w.items()
  const { begin, mend, finish } = storeOf(w)
  const removal = { id: 'r', startedAtMs: 0, retainedUntil: 1 }
  expect(await mend(7, removal, never)).toBeUndefined()
  if (state !== 'active') expect(await begin(7, removal, 'me', never)).toBeUndefined()
  if (state === 'absent') expect(await finish(7, removal, 0, 0, never)).toBe(false)
  expect(await w.items()).toEqual(before)
})

test('a malformed attribute is not replaced when another writer has changed it since it was read', async () => {
  const w = await world()
  const stored = { removal_id: 'r', removal_started_at: '2026-01-30T00:00:00.000Z', state: 'removing' }
  const put = (retained_until: unknown) =>
    w.put({ ...providerItem(sampleProvider(7), 0), ...stored, retained_until })
  const numbers = [0, -1, 1.5].map(value => [`the number ${value}`, value, -7] as const)
  const others = boundaryValues.map(([name, value]) => [name, value, 6] as const)
  for (const [name, read, then] of [...numbers, ...others, ['nothing', undefined, 6] as const]) {
    const store = storeOf(w, table => ({
      async get(...parameters) {
        const item = await table.get(...parameters)
        await put(then)
        return item
      },
    }))
    await put(read)
    const mended = await store.mend(7, { id: 'sound', startedAtMs: 0, retainedUntil: 7 }, never)
    const [{ retained_until }] = (await w.items()) as [Item]
    expect([mended, retained_until], name).toEqual([undefined, then])
  }
})

const map = (member: string): AttributeValue => ({
  M: JSON.parse(`{ "${member}": { "M": { "name": { "S": "Set" } } } }`),
})
test.each<[string, string, AttributeValue]>([
  ['a fraction', 'retained_until', { N: '0.10000000000000000555' }],
  ['an integer', 'retained_until', { N: '9007199254740993' }],
  ['a map with a member constructor', 'removal_id', map('constructor')],
  ['a map with a member __proto__', 'removal_id', map('__proto__')],
])('a malformed attribute that JavaScript cannot hold is replaced: %s', async (_, name, value) => {
  const w = await world()
  const { PK, SK } = providerKey(7)
  const Item = { PK: { S: PK }, SK: { S: SK }, state: { S: 'removing' }, [name]: value }
  await w.client.send(new PutItemCommand({ TableName: w.tableName, Item }))
  const sound = { id: 'sound', startedAtMs: 0, retainedUntil: 7 }
  expect((await storeOf(w).mend(7, sound, never))?.removal).toEqual(sound)
})

test('a mark makes no membership, and replaces no later one', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
  const { mark } = storeOf(w)
  const ids = [userId(1), userId(2)]
  expect(await mark(7, ids, 1_900_000_000, never)).toEqual([userId(2)])
  expect(await mark(7, ids, 1_900_000_000, never)).toEqual([userId(2)])
  expect(await mark(7, ids, 1_899_999_999, never)).toEqual(ids)
  expect((await w.items()).filter(({ PK }) => PK === 'SAML_PROVIDER#7')).toEqual([
    { ...membershipItem(7, userId(1)), expires_at: 1_900_000_000 },
  ])
})
