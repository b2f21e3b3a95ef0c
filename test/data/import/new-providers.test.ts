import { describe, expect, test } from 'vitest'
import { isListed } from '../../../lib/domain/provider.ts'
import { findProvider, listProviders } from '../../../lib/store/providers.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { before, inState, itemsOf, never, scenario } from '../scenario.ts'

const provider = sampleProvider(7)
const [item = {}] = itemsOf([provider], [])

test.each([
  ['creates', { ...item, display_name: 'Other' }],
  ['creates and removes', { ...item, state: 'removing' }],
])('an import creates no provider that another writer %s meanwhile', async (_, other) => {
  const s = await scenario()
  const rival = before('TransactWriteItems', () => s.put(other))
  const importing = withPlan(rival, () => s.import([provider]))
  await expect(importing).rejects.toThrow('another writer has changed the provider 7 meanwhile: import again')
  expect(await s.items()).toEqual([other])
})

test('a new provider is listed only when all its users are there', async () => {
  const s = await scenario()
  const listed: unknown[] = []
  const plan: Plan = async ({ send }) => {
    const reply = await send()
    const found = await withoutPlan(() => findProvider(s.data.table, 7, never))
    if (found && isListed(found)) listed.push(found.memberCount)
    return reply
  }
  await withPlan(plan, () => s.import([provider, ...sampleUsers(100, { saml: 7 })]))
  expect(new Set(listed)).toEqual(new Set([100]))
})

test('users in the table whose links name a new provider become its members', async () => {
  const s = await scenario()
  const foreign = { PK: `CLIENT#${userId(2)}`, SK: 'USER', sso_provider_id: 70 }
  const stored = [sampleUser(1, { sso: 70 }), sampleUser(3, { saml: 7 }), sampleUser(4)]
  await s.put(...itemsOf([], stored), foreign)
  await s.accepts([sampleProvider(7, 70)])
  expect(await s.items()).toEqual([foreign, ...itemsOf([sampleProvider(7, 70)], stored)])
})

test('a new provider stays closed while one of its users cannot be written', async () => {
  const s = await scenario()
  const providers = [provider, sampleProvider(8)]
  const users = [...sampleUsers(3, { saml: 7 }), sampleUser(9, { saml: 8 })]
  const plan: Plan = async ({ operation, body, send }) => {
    const isRefused = operation === 'TransactWriteItems' && JSON.stringify(body).includes(userId(1))
    if (isRefused) throw Object.assign(new Error('too large'), { name: 'ValidationException' })
    return send()
  }
  const { told, importing } = await withPlan(plan, () => s.import([...providers, ...users]))
  expect([told, importing]).toEqual([['4: DynamoDB does not take the user: too large'], [7]])
  expect((await listProviders(s.data.table, never)).map(({ id }) => id)).toEqual([8])
  expect((await s.accepts([...providers, ...users])).importing).toEqual([])
  await s.has(providers, users)
})

test('an import does not open a provider whose removal began meanwhile', async () => {
  const s = await scenario()
  const removing = { ...item, state: 'removing' }
  await withPlan(
    before('UpdateItem', () => s.put(removing)),
    () => s.import([provider]),
  )
  expect(await s.items()).toEqual([removing])
})

describe('a provider whose import was killed', () => {
  const members = [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })]

  async function killed() {
    const s = await scenario()
    await s.put(...inState('importing', itemsOf([provider], members)))
    return s
  }

  test('takes the values of another record', async () => {
    const s = await killed()
    const renamed = { ...provider, display_name: 'new' }
    const [unlinked, ...others] = [sampleUser(1), sampleUser(2, { saml: 7 }), sampleUser(3, { saml: 7 })]
    expect(await s.import([renamed, unlinked, ...others])).toMatchObject({
      told: ['2: the table has other values, which --update changes: saml_provider_id'],
      importing: [],
    })
    await s.has([renamed], [...members.slice(0, 1), ...others])
  })

  test('opens with the users it has', async () => {
    const s = await killed()
    const users = [sampleUser(1), sampleUser(2, { saml: 7 })]
    expect((await s.accepts([sampleProvider(8), ...users], { update: true })).importing).toEqual([7])
    expect((await s.import([sampleUser(3, { saml: 9 })])).importing).toEqual([7])
    const [line = ''] = (await s.export()).split('\n')
    expect((await s.accepts(line)).importing).toEqual([])
    await s.has([provider, sampleProvider(8)], users)
  })
})
