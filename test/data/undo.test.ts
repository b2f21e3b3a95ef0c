import { expect, test } from 'vitest'
import { membershipItem, providerItem } from '../../infra/data/table/encoding.ts'
import { membershipKey, providerKey } from '../../lib/store/keys.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { writers } from '../support/writers.ts'
import { dataHere } from './running.ts'
import { type Scenario, scenario, sharedScenario } from './scenario.ts'
import { members, note, removed } from './undo-scenario.ts'

test('undo brings a provider and its users back under another id', async () => {
  const s = await removed()
  const users = (await s.items()).filter(({ SK }) => SK === 'USER')
  expect(await s.undo()).toEqual({ linked: 100 })
  const link = { saml_provider_id: 107, sso_provider_id: 70 }
  const updated_at = new Date(s.clock.nowMs()).toISOString()
  const stored = await s.items()
  expect(stored.filter(({ SK }) => SK === 'USER')).toEqual(
    users.map(user => ({ ...user, ...link, updated_at })),
  )
  const provider = { ...providerItem({ ...sampleProvider(7, 70), id: 107 }, 100), note }
  expect(stored.filter(({ SK }) => SK === providerKey(107).SK)).toEqual([provider])
  expect(await s.find()).toEqual([])
  expect(await s.remove(7)).toEqual(s.listed)
  expect(await s.items()).toEqual(stored)
  expect(await s.remove(107)).toEqual(s.listed)
})

test('undo sets saml_provider_id alone where there is no SSO provider', async () => {
  const s = await removed([sampleUser(1, { saml: 7 })], scenario, sampleProvider(7))
  expect(await s.undo()).toEqual({ linked: 1 })
  const [user] = (await s.items()).filter(({ SK }) => SK === 'USER')
  expect(user).toMatchObject({ saml_provider_id: 107 })
  expect(user).not.toHaveProperty('sso_provider_id')
  expect(await s.find()).toEqual([])
})

test('undo links 100 users in three transactions', async () => {
  const s = await removed()
  const calls: Record<string, number> = {}
  const plan: Plan = ({ operation, send }) => {
    calls[operation] = (calls[operation] ?? 0) + 1
    return send()
  }
  await withPlan(plan, s.undo)
  expect(calls).toEqual({ GetItem: 2, Query: 4, TransactWriteItems: 1 + 3, BatchGetItem: 3 })
})

test('undo of what cannot come back writes nothing', async () => {
  const s = await removed(members(3))
  const refused = async (sentence: string, as?: number) => {
    const stored = await s.items()
    await expect(s.undo(as)).rejects.toThrow(sentence)
    expect(await s.items()).toEqual(stored)
  }
  const marker = { PK: 'SAML_PROVIDERS', SK: 'IMPORT', has_users: 'x' }
  const leftover = membershipItem(107, userId(9))
  for (const [item, sentence] of [
    [marker, 'An import is unfinished'],
    [leftover, 'The id 107 is that of another provider, or was'],
    [{ ...providerItem(sampleProvider(9), 0), name: 'provider-7' }, 'PROVIDER#0000000009 has the same name'],
    [{ ...providerKey(9), state: 'unknown', sso_provider_id: 70 }, 'PROVIDER#0000000009 has the same name'],
  ] as const) {
    await s.put(item)
    await refused(sentence)
    await s.drop(item)
  }
  for (const id of [7, 8]) await refused(`The id ${id} is that of another provider, or was`, id)
  await s.drop(membershipKey(7, userId(1)))
  await refused('The list of provider 7 is not complete any more')
  for (const state of ['active', 'removing']) {
    await s.put({ ...providerItem(sampleProvider(7), 0), state })
    await refused(`is ${state}: only one that is removed comes back`)
  }
  await s.drop(providerKey(7))
  await refused('is unknown: only one that is removed comes back')
})

test('the undo command ends with 1 when it names a user who is linked elsewhere', async () => {
  const s = await removed(members(3), sharedScenario)
  const undo = () => dataHere('undo', '--table', s.tableName, '--provider', '7', '--as', '107')
  const { move, erase } = writers(s.data)
  await erase(userId(0))
  const end = (linked: number, not: number) =>
    `Provider 107: ${linked} users are linked, ${not} are not, 1 were erased.\n`
  expect(await undo()).toEqual({ code: 0, stdout: '', stderr: end(2, 0) })
  await move(userId(1), { saml: 8 })
  const stdout = `The user ${userId(1)} has another link.\n`
  expect(await undo()).toEqual({ code: 1, stdout, stderr: end(1, 1) })
})

const halves: [half: string, breakPair: (s: Scenario) => Promise<unknown>][] = [
  ['linked without a membership', s => s.drop(membershipKey(107, userId(0)))],
  [
    'a membership without a link',
    async s => {
      await writers(s.data).move(userId(0), {})
      await s.put(membershipItem(107, userId(0)))
    },
  ],
]

test.each(halves)('the undo command sends to verify for a user who has %s', async (half, breakPair) => {
  const s = await removed(members(2), sharedScenario)
  await s.undo()
  await breakPair(s)
  const undo = await dataHere('undo', '--table', s.tableName, '--provider', '7', '--as', '107')
  const stdout = expect.stringMatching(/^The user .* run it again, and verify if that does not help\.\n$/)
  const stderr = 'Provider 107: 1 users are linked, 1 are not, 0 were erased.\n'
  expect(undo).toEqual({ code: 1, stdout, stderr })
  expect(await s.find()).toContain(`provider 107, user ${userId(0)}: ${half}`)
})
