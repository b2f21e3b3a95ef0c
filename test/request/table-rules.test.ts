import { describe, expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

const broken = (w: World) => w.loggedAs('table_rule_broken')

describe('an item among the members', () => {
  test('whose sort key is not USER# with a UUID is omitted', async () => {
    const uuid = userId(9)
    const ids = ['', `${uuid}x`, `x${uuid}`, `${uuid}\n`, 'x'.repeat(1019)]
    const keys = ['META', uuid, `user#${uuid}`, ...ids.map(id => `USER#${id}`)]
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })])
    const foreign = keys.map(SK => ({ PK: 'SAML_PROVIDER#7', SK, note: 'of another program' }))
    await w.put(...foreign)
    const before = (await w.items()).length
    for (let time = 0; time < 2; time++) expect((await w.remove(7)).ids()).toEqual([userId(1), userId(2)])
    const items = await w.items()
    expect(items).toEqual(expect.arrayContaining(foreign))
    expect(items).toHaveLength(before)
    const found = { event: 'table_rule_broken', partition: 'SAML_PROVIDER#7', items: ids.length }
    expect(broken(w)).toEqual([found])
  })

  test('is a member whose id has the case of its key', async () => {
    const w = await world()
    const ids = ['ABCDEF00-0000-4000-8000-00000000000f', 'abcdef00-0000-4000-8000-00000000000f']
    const users = ids.map(id => ({ ...sampleUser(1, { saml: 7 }), id }))
    await w.putProvider(sampleProvider(7), users)
    expect((await w.remove(7)).ids()).toEqual(ids)
    const { retained_until: expires_at } = await w.provider()
    const items = await w.items()
    expect(items.filter(({ PK }) => PK === 'SAML_PROVIDER#7')).toEqual(
      ids.map(id => ({ ...membershipItem(7, id), expires_at })),
    )
    expect(items.filter(item => item.saml_provider_id === 7)).toEqual([])
    expect(items).toHaveLength(5)
  })
})

test('an affected user has the id of its key, not of its attributes', async () => {
  const w = await world()
  await w.put(
    providerItem(sampleProvider(7), 2),
    ...[1, 2].flatMap(n => [
      { ...userItem(sampleUser(n, { saml: 7 })), id: n === 1 ? userId(9) : 5 },
      { ...membershipItem(7, userId(n)), user_id: userId(9) },
    ]),
  )
  expect((await w.remove(7)).ids()).toEqual([userId(1), userId(2)])
})

test('the log counts the omitted items of the list, once in five minutes', async () => {
  const w = await world()
  for (const SK of ['PROVIDER#7', 'PROVIDER#8']) await w.put({ ...providerItem(sampleProvider(7), 0), SK })
  const facts = { event: 'table_rule_broken', partition: 'SAML_PROVIDERS', items: 2 }
  await w.list()
  w.clock.advance(299_999)
  await w.list()
  expect(broken(w)).toEqual([facts])
  w.clock.advance(1)
  await w.list()
  expect(broken(w)).toEqual([facts, facts])
})

test('a provider in an unknown state is logged', async () => {
  const w = await world()
  await w.put({ ...providerKey(7), state: 'gone', note: 'ada@example.com' })
  await w.remove(7)
  expect(broken(w)).toEqual([{ event: 'table_rule_broken', partition: 'SAML_PROVIDERS', items: 1 }])
})

test('the log has nothing about a table that keeps the rules', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7, 70), [sampleUser(1, { saml: 7 })])
  for (const send of [w.list, () => w.remove(7), w.list, () => w.remove(7)]) await send()
  expect(broken(w)).toEqual([])
})
