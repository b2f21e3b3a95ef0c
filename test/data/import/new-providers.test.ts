import { expect, test } from 'vitest'
import { exportRecords } from '../../../infra/data/export.ts'
import { isListed } from '../../../lib/domain/provider.ts'
import { findProvider, listProviders } from '../../../lib/store/providers.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
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

test('a new provider stays closed while one of its users cannot be written, and others open', async () => {
  const s = await scenario()
  const providers = [sampleProvider(7), sampleProvider(8)]
  const users = [...sampleUsers(3, { saml: 7 }), sampleUser(9, { saml: 8 })]
  const records = ndjson(...providers, ...users)
  const plan: Plan = async ({ operation, body, send }) => {
    const isRefused = operation === 'TransactWriteItems' && JSON.stringify(body).includes(userId(1))
    if (isRefused) throw Object.assign(new Error('too large'), { name: 'ValidationException' })
    return send()
  }
  const { told, importing } = await withPlan(plan, () => s.import(records))
  expect([told, importing]).toEqual([['4: DynamoDB does not take the user: too large'], [7]])
  expect((await listProviders(s.data.table, never)).map(({ id }) => id)).toEqual([8])
  expect((await s.find()).faults).toMatchObject([
    { problem: expect.stringMatching(/^the import of provider 7/) },
  ])
  expect(await s.import(records)).toMatchObject({ told: [], importing: [] })
  expect(await s.items()).toEqual(itemsOf(providers, users))
})

test('an import does not open a provider whose removal began after another import had opened it', async () => {
  const s = await scenario()
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'UpdateItem') await withoutPlan(() => s.put({ ...provider, state: 'removing' }))
    return send()
  }
  await withPlan(plan, () => s.import(ndjson(sampleProvider(7))))
  expect(await s.items()).toEqual([{ ...provider, state: 'removing' }])
})

/** A table in which an import of provider 7 was killed when two of its users were there. */
async function killed() {
  const s = await scenario()
  const written = itemsOf([sampleProvider(7)], [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })])
  await s.put(...written.map(item => (item.state ? { ...item, state: 'importing' } : item)))
  return s
}

test('an interrupted provider takes the values of another record, and users stay without --update', async () => {
  const s = await killed()
  const renamed = { ...sampleProvider(7), display_name: 'new' }
  const users = [sampleUser(1), sampleUser(2, { saml: 7 }), sampleUser(3, { saml: 7 })]
  expect(await s.import(ndjson(renamed, ...users))).toMatchObject({
    told: ['2: the table has other values, which --update changes: saml_provider_id'],
    importing: [],
  })
  expect(await s.items()).toEqual(itemsOf([renamed], [sampleUser(1, { saml: 7 }), ...users.slice(1)]))
})

test('an interrupted provider that the next input lacks is named, and opens with the users it has', async () => {
  const s = await killed()
  const users = [sampleUser(1), sampleUser(2, { saml: 7 })]
  expect(await s.import(ndjson(sampleProvider(8), ...users), { update: true })).toMatchObject({
    told: [],
    importing: [7],
  })
  expect(await s.import(ndjson(sampleUser(3, { saml: 9 })))).toMatchObject({ importing: [7] })
  expect((await s.find()).faults).toMatchObject([{ problem: expect.stringContaining('provider 7') }])
  const lines: string[] = []
  await s.clock.moving(exportRecords(s.data, async text => void lines.push(text), never))
  const [line = ''] = lines.join('').split('\n')
  expect(await s.import(line)).toMatchObject({ told: [], importing: [] })
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7), sampleProvider(8)], users))
})
