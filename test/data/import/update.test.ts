import { describe, expect, test } from 'vitest'
import { userItem } from '../../../lib/store/items.ts'
import { providerKey, userKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { int32, sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, never, scenario } from '../scenario.ts'

const update = true

describe('an import with --update', () => {
  test('leaves what a record does not mention, and sets the time of a new link', async () => {
    const s = await scenario()
    await s.put(...itemsOf([sampleProvider(7), sampleProvider(8)], [sampleUser(1, { saml: 7, sso: 99 })]))
    const { id, principal_name, is_disabled, eula_accepted, all_environments } = sampleUser(1)
    const few = { id, principal_name, is_disabled, eula_accepted, all_environments }
    expect((await s.import(ndjson(few))).counts.users).toMatchObject({ there: 1 })
    await s.import(ndjson({ ...few, first_name: null, saml_provider_id: 8 }), { update, unlink: [7] })
    const { first_name, ...expected } = userItem(sampleUser(1, { saml: 8, sso: 99 }))
    const nowAt = new Date(s.clock.nowMs()).toISOString()
    expect(await s.data.table.get(userKey(userId(1)), never)).toEqual({ ...expected, updated_at: nowAt })
  })

  test('tells in a dry run what would change', async () => {
    const s = await scenario()
    const users = [sampleUser(1, { saml: 7 }), sampleUser(2)]
    await s.put(...itemsOf([sampleProvider(7)], users))
    const before = await s.items()
    const text = ndjson(
      { ...sampleProvider(7), name: 'new' },
      { ...users[0], saml_provider_id: int32(), roles: [] },
      ...users.slice(1),
    )
    const { told, counts } = await s.import(text, { update, dryRun: true })
    expect(told.map(({ outcome }) => outcome)).toEqual([
      {
        ...{ is: 'updated', fields: ['saml_provider_id', 'roles'] },
        moves: { join: [], leave: [7], leftOut: [] },
      },
      { is: 'there', moves: { join: [], leave: [], leftOut: [] } },
      { is: 'updated', fields: ['name'] },
    ])
    expect(counts.usersOf.get(7)).toEqual({ join: 0, leave: 1, leftOut: 0 })
    expect(await s.items()).toEqual(before)
  })

  test('of one link notices that another writer has changed the other', async () => {
    const s = await scenario()
    const providers = [sampleProvider(7, 70), sampleProvider(8)]
    await s.put(...itemsOf(providers, [sampleUser(1, { saml: 7 })]))
    const { sso_provider_id, ...record } = sampleUser(1, { saml: 8 })
    let isChanged = false
    const plan: Plan = async ({ operation, send }) => {
      if (operation === 'TransactWriteItems' && !isChanged) {
        isChanged = true
        await withoutPlan(() => s.import(ndjson(sampleUser(1, { saml: 7, sso: 70 })), { update }))
      }
      return send()
    }
    const { result } = await withPlan(plan, () => s.import(ndjson(record), { update, unlink: [7] }))
    expect(result.faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf(providers, [sampleUser(1, { saml: 8, sso: 70 })]))
  })

  test('counts a user as there whom another import updates meanwhile', async () => {
    const s = await scenario()
    await s.put(...itemsOf([], [sampleUser(1)]))
    const text = ndjson({ ...sampleUser(1), principal_name: 'new' })
    let reads = 0
    const plan: Plan = async ({ operation, send }) => {
      // The second one reads what is changed.
      if (operation === 'BatchGetItem' && ++reads === 2) await withoutPlan(() => s.import(text, { update }))
      return send()
    }
    const { result } = await withPlan(plan, () => s.import(text, { update }))
    expect(result.counts.users).toMatchObject({ there: 1, updated: 0 })
  })

  test('changes no provider whose removal begins meanwhile', async () => {
    const s = await scenario()
    await s.put(...itemsOf([sampleProvider(7)], []))
    const text = ndjson({ ...sampleProvider(7), name: 'new' })
    const { result } = await withPlan(s.removalOf(7), () => s.import(text, { update }))
    expect(result.faults).toEqual(['1: the provider 7 is being removed or was removed'])
    expect(await s.data.table.get(providerKey(7), never)).toMatchObject({ name: 'provider-7' })
  })

  test('refuses what would change the links of other users, or make two providers of one name', async () => {
    const s = await scenario()
    const [other, users] = [sampleProvider(7, 70), [sampleUser(1, { sso: 70 })]]
    await s.put(...itemsOf([other, ...[8, 9, 10].map(id => sampleProvider(id))], users))
    const named = (id: number, name: string) => ({ ...sampleProvider(id), name })
    const text = ndjson(sampleProvider(7, 71), named(8, 'provider-7'), named(9, 'new'), named(10, 'new'))
    expect((await s.import(text, { update })).faults).toEqual([
      '1: the provider 7 has another sso_provider_id in the table, by which its users are linked: it cannot be changed',
      '2: the name "provider-7" is that of the provider 7',
      '3: the name "new" is that of the provider 10',
      '4: the name "new" is that of the provider 9',
    ])
    const unchanged = itemsOf([other, ...[8, 9, 10].map(id => sampleProvider(id))], users)
    expect(await s.items()).toEqual(unchanged)
  })

  test('may give the name of a provider that gets another one', async () => {
    const s = await scenario()
    await s.put(
      ...itemsOf(
        [7, 8].map(id => sampleProvider(id)),
        [],
      ),
    )
    const named = (id: number, name: string) => ({ ...sampleProvider(id), name })
    const swapped = [named(7, 'provider-8'), named(8, 'new'), named(9, 'provider-7')]
    expect((await s.import(ndjson(...swapped), { update })).faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf(swapped, []))
  })
})

test('an update that takes a secret away leaves what others keep in it, and the service shows none', async () => {
  const s = await scenario()
  const [user, other] = itemsOf([], [sampleUser(1), sampleUser(2)])
  const AuthSecret = { ...(user?.AuthSecret as object), digest: 'x', totp_secret: 'y' }
  await s.put({ ...user, AuthSecret }, { ...other })
  const records = [sampleUser(1), sampleUser(2)].map(one => ({ ...one, AuthSecret: null }))
  for (let times = 0; times < 2; times++)
    expect((await s.import(ndjson(...records), { update })).faults).toEqual([])
  const { AuthSecret: _, ...withoutSecret } = other ?? {}
  expect(await s.items()).toEqual([{ ...user, AuthSecret: { digest: 'x', totp_secret: 'y' } }, withoutSecret])
  expect((await s.import(ndjson(...records))).counts.users).toMatchObject({ there: 2 })
  expect((await s.find()).faults).toEqual([])
})
