import { expect, test } from 'vitest'
import { correctCount } from '../../../infra/data/member-count.ts'
import { providerItem } from '../../../lib/store/items.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never } from '../scenario.ts'

const provider = sampleProvider(7, 70)

test('two imports of one new provider end with the right count, wherever one overtakes the other', async () => {
  const both = sampleUser(1, { saml: 7 })
  const mine = [both, sampleUser(2, { saml: 7 }), sampleUser(3, { sso: 70 }), sampleUser(6, { saml: 7 })]
  const others = [both, sampleUser(4, { saml: 7 }), sampleUser(5, { sso: 70 })]
  const expected = itemsOf([provider], [...mine, ...others.slice(1)])
  let overtaken = 0
  for (let at = 1; ; at++) {
    // One is updated to the provider.
    const s = await filled([], [sampleUser(6)])
    let isOvertaken = false
    let calls = 0
    const plan: Plan = async ({ operation, send }) => {
      // The scan reads the same at each of its calls.
      if (operation !== 'Scan' && ++calls === at) {
        isOvertaken = true
        expect((await withoutPlan(() => s.import(ndjson(provider, ...others)))).faults).toEqual([])
      }
      return send()
    }
    const { result } = await withPlan(plan, () => s.import(ndjson(provider, ...mine), { update: true }))
    if (!isOvertaken) break
    overtaken += 1
    expect(result.faults, `before call ${at}`).toEqual([])
    expect(await s.items(), `before call ${at}`).toEqual(expected)
  }
  expect(overtaken).toBeGreaterThan(5)
})

test('a user who is linked while the count is corrected is counted', async () => {
  const users = sampleUsers(5, { saml: 7 })
  const s = await filled([provider], users)
  // The count that it reads after the link is that of the memberships before.
  await s.put(providerItem(provider, users.length - 1))
  const newcomer = ndjson(sampleUser(6, { saml: 7 }))
  let isLinked = false
  const plan: Plan = async ({ operation, send }) => {
    const reply = await send()
    if (operation === 'Query' && !isLinked) {
      isLinked = true
      await withoutPlan(() => s.import(newcomer))
    }
    return reply
  }
  const { result } = await withPlan(plan, () => s.clock.moving(correctCount(s.data, 7, never)))
  expect(result).toBe(true)
  expect(await s.items()).toEqual(itemsOf([provider], [...users, sampleUser(6, { saml: 7 })]))
})
