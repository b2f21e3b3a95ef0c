import { expect, test } from 'vitest'
import { eraseUser } from '../../infra/data/erase.ts'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { writers } from '../support/writers.ts'
import { dataHere } from './running.ts'
import { itemsOf, never, type Scenario, scenario, sharedScenario } from './scenario.ts'

const providers = [sampleProvider(7, 70), sampleProvider(8)]
const other = sampleUser(2, { saml: 7 })

/** Begins the removal of provider 7. */
const begin = (s: Scenario) =>
  removalStore(s.data.table).begin(7, { id: 'r', startedAtMs: 0, retainedUntil: 4e9 }, 'test', never)

test.each<Links>([{}, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8, sso: 70 }, { sso: 99 }])(
  'erase deletes a user with the links %j and the memberships',
  async links => {
    const s = await scenario()
    await s.put(...itemsOf(providers, [sampleUser(1, links), other]))
    expect(await eraseUser(s.data, userId(1), never)).toBe('erased')
    await s.has(providers, [other])
  },
)

test('erase leaves the list of a removal as it is', async () => {
  const s = await scenario()
  await s.put(...itemsOf(providers, [sampleUser(1, { saml: 7 }), other]))
  await begin(s)
  const stored = await s.items()
  expect(await eraseUser(s.data, userId(1), never)).toBe('erased')
  expect(await s.items()).toEqual(stored.filter(({ PK }) => PK !== `USER#${userId(1)}`))
})

test('erase deletes nothing when the user or a provider changes meanwhile', async () => {
  const rivals = {
    move: (s: Scenario) => writers(s.data).move(userId(1), { saml: 8 }),
    unlink: (s: Scenario) => writers(s.data).move(userId(1), {}),
    begin,
  }
  for (const rival of Object.values(rivals)) {
    const s = await scenario()
    await s.put(...itemsOf(providers, [sampleUser(1, { saml: 7 })]))
    let changed: unknown
    const plan: Plan = async ({ operation, send }) => {
      if (operation === 'TransactWriteItems')
        await withoutPlan(async () => {
          await rival(s)
          changed = await s.items()
        })
      return send()
    }
    expect(await withPlan(plan, () => eraseUser(s.data, userId(1), never))).toBe('changed')
    expect(await s.items()).toEqual(changed)
  }
})

test('erase of a user whose membership is missing leaves the count', async () => {
  const s = await scenario()
  await s.put(...itemsOf(providers, [other]), userItem(sampleUser(1, { saml: 7 })))
  expect(await eraseUser(s.data, userId(1), never)).toBe('erased')
  await s.has(providers, [other])
})

test('erase deletes a membership of a provider to which the user is not linked', async () => {
  const s = await scenario()
  await s.put(...itemsOf(providers, [sampleUser(1), other]))
  await s.put(providerItem(sampleProvider(7, 70), 2), membershipItem(7, userId(1)))
  expect(await eraseUser(s.data, userId(1), never)).toBe('erased')
  await s.has(providers, [other])
})

test('the erase command says who is gone, and who is not there', async () => {
  const s = await sharedScenario()
  await s.put(...itemsOf(providers, [sampleUser(1)]))
  const erase = () => dataHere('erase', '--table', s.tableName, '--user', userId(1))
  const erased = `The user ${userId(1)} is erased from ${s.tableName}.\n`
  expect(await erase()).toEqual({ code: 0, stdout: '', stderr: erased })
  const missing = `There is no user ${userId(1)} in ${s.tableName}.\n`
  expect(await erase()).toEqual({ code: 1, stdout: '', stderr: missing })
})
