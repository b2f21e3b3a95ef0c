import { expect, test } from 'vitest'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { filled, itemsOf, ndjson } from '../scenario.ts'

const provider = sampleProvider(7, 70)

test('two imports of one new provider end with the right table, after another run at most', async () => {
  const both = sampleUser(1, { saml: 7 })
  const mine = [both, sampleUser(2, { saml: 7 }), sampleUser(3, { sso: 70 }), sampleUser(6, { saml: 7 })]
  const others = [both, sampleUser(4, { saml: 7 }), sampleUser(5, { sso: 70 })]
  const expected = itemsOf([provider], [...mine, ...others.slice(1)])
  let overtaken = 0
  let again = 0
  for (let at = 1; ; at++) {
    // One is updated to the provider.
    const s = await filled([], [sampleUser(6)])
    let isOvertaken = false
    let calls = 0
    const plan: Plan = async ({ operation, send }) => {
      // The scan reads the same at each of its calls.
      if (operation !== 'Scan' && ++calls === at) {
        isOvertaken = true
        expect((await withoutPlan(() => s.import(ndjson(provider, ...others)))).told).toEqual([])
      }
      return send()
    }
    const records = ndjson(provider, ...mine)
    await withPlan(plan, () => s.import(records, { update: true })).catch(error => {
      expect(error.message).toMatch(/another writer has changed the provider 7 meanwhile: import again/)
      again += 1
    })
    if (!isOvertaken) break
    overtaken += 1
    expect((await s.import(records, { update: true })).told, `before call ${at}`).toEqual([])
    expect(await s.items(), `before call ${at}`).toEqual(expected)
  }
  expect(overtaken).toBeGreaterThan(5)
  expect(again).toBeGreaterThan(0)
})
