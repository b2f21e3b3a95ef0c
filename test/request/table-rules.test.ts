import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

const broken = (w: World) => w.loggedAs('table_rule_broken')

test('an item among the members whose sort key is not USER# with a UUID is omitted', async () => {
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

test('an affected user has the id of its key in its case, whatever its attributes say', async () => {
  const w = await world()
  const ids = ['ABCDEF00-0000-4000-8000-00000000000f', 'abcdef00-0000-4000-8000-00000000000f']
  const itemsOf = (id: string, n: number) => [
    { ...userItem({ ...sampleUser(1, { saml: 7 }), id }), id: n === 0 ? userId(9) : 5 },
    { ...membershipItem(7, id), user_id: userId(9) },
  ]
  await w.put(providerItem(sampleProvider(7), 2), ...ids.flatMap(itemsOf))
  expect((await w.remove(7)).ids()).toEqual(ids)
  const { retained_until: end } = await w.provider()
  const items = await w.items()
  const memberships = items.filter(({ PK }) => PK === 'SAML_PROVIDER#7')
  expect(memberships.map(({ SK, expires_at }) => [SK, expires_at])).toEqual(
    ids.map(id => [`USER#${id}`, end]),
  )
  expect(items.filter(item => item.saml_provider_id === 7)).toEqual([])
  expect(items).toHaveLength(5)
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
