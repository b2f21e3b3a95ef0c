import { expect, test } from 'vitest'
import { isListed } from '../../../lib/domain/provider.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { findProvider, listProviders } from '../../../lib/store/providers.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, never, scenario } from '../scenario.ts'

const [provider = {}] = itemsOf([sampleProvider(7)], [])
test.each([
  ['creates with other values', { ...provider, display_name: 'Other' }],
  ['creates and removes', { ...provider, state: 'removing' }],
])('an import creates no provider that another writer %s meanwhile', async (_, other) => {
  const s = await scenario()
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'TransactWriteItems') await withoutPlan(() => s.put(other))
    return send()
  }
  const importing = withPlan(plan, () => s.import(ndjson(sampleProvider(7))))
  await expect(importing).rejects.toThrow('another writer has changed the provider 7 meanwhile: import again')
  expect(await s.items()).toEqual([other])
})

test('a new provider is listed only when all its users are there', async () => {
  const s = await scenario()
  const users = sampleUsers(100, { saml: 7 })
  const listed: unknown[] = []
  const plan: Plan = async ({ send }) => {
    const reply = await send()
    const found = await withoutPlan(() => findProvider(s.data.table, 7, never))
    if (found && isListed(found)) listed.push(found.memberCount)
    return reply
  }
  await withPlan(plan, () => s.import(ndjson(sampleProvider(7), ...users)))
  expect(new Set(listed)).toEqual(new Set([100]))
})

test('users in the table whose links name a new provider become its members', async () => {
  const s = await scenario()
  const foreign = { PK: `CLIENT#${userId(2)}`, SK: 'USER', sso_provider_id: 70 }
  const stored = [sampleUser(1, { sso: 70 }), sampleUser(3, { saml: 7 }), sampleUser(4)]
  await s.put(...itemsOf([], stored), foreign)
  expect((await s.import(ndjson(sampleProvider(7, 70)))).told).toEqual([])
  expect(await s.items()).toEqual([foreign, ...itemsOf([sampleProvider(7, 70)], stored)])
})

test('a new provider stays closed while a user of the input cannot be written', async () => {
  const s = await scenario()
  const users = sampleUsers(3, { saml: 7 })
  const records = ndjson(sampleProvider(7), ...users)
  const plan: Plan = async ({ operation, body, send }) => {
    const isRefused = operation === 'TransactWriteItems' && JSON.stringify(body).includes(userId(1))
    if (isRefused) throw Object.assign(new Error('too large'), { name: 'ValidationException' })
    return send()
  }
  const { told } = (await withPlan(plan, () => s.import(records))).result
  expect(told).toEqual([
    '3: DynamoDB does not take the user: too large',
    '1: the provider is not in use yet, because 1 users failed: import again',
  ])
  expect(await listProviders(s.data.table, never)).toEqual([])
  expect((await s.find()).faults).toMatchObject([
    { problem: expect.stringMatching(/^the import of provider 7/) },
  ])
  expect((await s.import(records)).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users))
})

test('an import without --update opens no interrupted provider whose record differs', async () => {
  const s = await scenario()
  await s.put({ ...provider, state: 'importing' })
  const renamed = ndjson({ ...sampleProvider(7), display_name: 'new' })
  expect((await s.import(renamed)).told).toEqual([expect.stringMatching(/^1: the table has other values/)])
  expect(await s.data.table.get(providerKey(7), never)).toMatchObject({ state: 'importing' })
  expect((await s.import(renamed, { update: true })).told).toEqual([])
  expect(await s.data.table.get(providerKey(7), never)).toMatchObject({
    state: 'active',
    display_name: 'new',
  })
})
