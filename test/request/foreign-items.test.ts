import { describe, expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

describe('an item among the members', () => {
  const uuid = userId(9)
  const ids = ['', `${uuid}x`, `x${uuid}`, `${uuid}\n`, 'x'.repeat(1019)]
  const keys = ['META', uuid, `user#${uuid}`, ...ids.map(id => `USER#${id}`)]
  test('whose sort key is not USER# and a UUID is omitted, and kept', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })])
    const foreign = keys.map(SK => ({ PK: 'SAML_PROVIDER#7', SK, note: 'of another program' }))
    await w.put(...foreign)
    const before = (await w.items()).length
    for (let time = 0; time < 2; time++) expect((await w.remove(7)).ids()).toEqual([userId(1), userId(2)])
    const items = await w.items()
    expect(items).toEqual(expect.arrayContaining(foreign))
    expect(items).toHaveLength(before)
  })

  test('is a member whose id has the case of its key', async () => {
    const w = await world()
    const id = 'ABCDEF00-0000-4000-8000-00000000000f'
    await w.putProvider(sampleProvider(7), [{ ...sampleUser(1, { saml: 7 }), id }])
    expect((await w.remove(7)).ids()).toEqual([id])
    const [membership, provider, user] = await w.items()
    expect([membership?.SK, membership?.expires_at]).toEqual([`USER#${id}`, provider?.retained_until])
    expect([user?.PK, user?.saml_provider_id]).toEqual([`USER#${id}`, undefined])
    expect(await w.items()).toHaveLength(3)
  })

  test('is not the member whose id differs only in case', async () => {
    const w = await world()
    const ids = ['ABCDEF00-0000-4000-8000-00000000000f', 'abcdef00-0000-4000-8000-00000000000f']
    await w.putProvider(
      sampleProvider(7),
      ids.map(id => ({ ...sampleUser(1, { saml: 7 }), id })),
    )
    expect((await w.remove(7)).ids()).toEqual(ids)
    expect((await w.items()).filter(item => item.saml_provider_id === 7)).toEqual([])
  })
})

test('a provider and an affected user have the ids of their keys, not of their attributes', async () => {
  const w = await world()
  await w.put(
    { ...providerItem(sampleProvider(7), 2), id: 8 },
    ...[1, 2].flatMap(n => [
      { ...userItem(sampleUser(n, { saml: 7 })), id: n === 1 ? userId(9) : 5 },
      { ...membershipItem(7, userId(n)), user_id: userId(9) },
    ]),
  )
  expect((await w.list()).json().data.saml_providers).toEqual([sampleProvider(7)])
  expect((await w.remove(7)).ids()).toEqual([userId(1), userId(2)])
})

describe('an item among the providers', () => {
  const notIds = ' 7 000000007 00000000007 0000000000 -000000001 1e00000000 2147483648 0000000007\n'
  const afterPrefix = notIds.split(' ').map(text => `PROVIDER#${text}`)
  const keys = ['META', 'provider#0000000007', ...afterPrefix]

  test('whose sort key is not PROVIDER# and the ten digits of an id is not listed', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(8))
    await w.put(...keys.map(SK => ({ ...providerItem(sampleProvider(7), 0), SK })))
    expect((await w.list()).json().data.saml_providers).toEqual([sampleProvider(8)])
  })

  test('whose sort key has the least or the greatest id is a provider', async () => {
    const w = await world()
    const ids = [1, 2_147_483_647]
    const SKs = ['PROVIDER#0000000001', 'PROVIDER#2147483647']
    await w.put(...SKs.map(SK => ({ ...providerItem(sampleProvider(7), 0), SK })))
    const listed = (await w.list()).json().data.saml_providers
    expect(listed).toEqual(ids.map(id => ({ ...sampleProvider(7), id })))
  })
})

describe('the log', () => {
  const broken = (w: World) => w.loggedAs('table_rule_broken')

  test('counts the omitted items of each partition, once in five minutes', async () => {
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

  test.each<[string, object]>([
    ['a membership without a user id', { PK: 'SAML_PROVIDER#7', SK: 'USER#ada@example.com' }],
    ['a provider of an unknown state', { PK: 'SAML_PROVIDERS', SK: 'PROVIDER#0000000007', state: 'gone' }],
    ['a malformed removal', { PK: 'SAML_PROVIDERS', SK: 'PROVIDER#0000000007', state: 'removed' }],
  ])('names the partition of %s, and no value of its item', async (_, item) => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    await w.put({ note: 'ada@example.com', ...item })
    await w.remove(7)
    const partition = (item as { PK: string }).PK
    expect(broken(w)).toEqual([{ event: 'table_rule_broken', partition, items: 1 }])
  })

  test('has no event about a table that keeps the rules', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7, 70), [sampleUser(1, { saml: 7 })])
    for (const send of [w.list, () => w.remove(7), w.list, () => w.remove(7)]) await send()
    expect(broken(w)).toEqual([])
  })
})
