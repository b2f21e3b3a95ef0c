import { expect, test } from 'vitest'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'

const provider = sampleProvider(7, 70)
const both = sampleUser(1, { saml: 7 })
const [mine, others] = [
  [both, sampleUser(2, { saml: 7 }), sampleUser(3, { sso: 70 })],
  [both, sampleUser(4, { saml: 7 }), sampleUser(5, { sso: 70 })],
]
const expected = itemsOf([provider], [...mine, ...others.slice(1)])

test('two imports of one new provider end with the right count, wherever one overtakes the other', async () => {
  let overtaken = 0
  for (let at = 1; ; at++) {
    const s = await scenario()
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
    const { result } = await withPlan(plan, () => s.import(ndjson(provider, ...mine)))
    if (!isOvertaken) break
    overtaken += 1
    expect(result.faults, `before call ${at}`).toEqual([])
    expect(await s.items(), `before call ${at}`).toEqual(expected)
  }
  expect(overtaken).toBeGreaterThan(5)
})

test('a user is updated to a provider that another import creates meanwhile', async () => {
  const s = await scenario()
  await s.put(...itemsOf([], [sampleUser(1)]))
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'BatchGetItem') await withoutPlan(() => s.import(ndjson(provider)))
    return send()
  }
  const { result } = await withPlan(plan, () => s.import(ndjson(provider, both), { update: true }))
  expect(result.faults).toEqual([])
  expect(await s.items()).toEqual(itemsOf([provider], [both]))
})

interface UpdateInput {
  UpdateExpression: string
  ExpressionAttributeValues: Record<string, unknown>
}

test('a user who is linked while the count is corrected is counted', async () => {
  const s = await scenario()
  let isRefused = false
  let isLinked = false
  const counts: unknown[] = []
  const plan: Plan = async ({ operation, body, send }) => {
    if (operation === 'BatchExecuteStatement' && !isRefused)
      await withoutPlan(() => s.import(ndjson(provider, ...others, sampleUser(6))))
    if (operation === 'TransactWriteItems') {
      const [{ Update }] = body.TransactItems as [{ Update?: UpdateInput }]
      const [value = ''] = Update?.UpdateExpression.match(/:\w+/) ?? []
      if (Update !== undefined) counts.push(Update.ExpressionAttributeValues[value])
      isRefused = true
    }
    const reply = await send()
    if (operation === 'Query' && isRefused && !isLinked) {
      isLinked = true
      await withoutPlan(() => s.import(ndjson(sampleUser(6, { saml: 7 })), { update: true }))
    }
    return reply
  }
  const { result } = await withPlan(plan, () => s.import(ndjson(provider, ...mine)))
  expect([result.faults, isLinked]).toEqual([[], true])
  // It writes no count that did not stand still.
  expect(counts).toEqual([{ N: '6' }])
  const users = [...mine, ...others.slice(1), sampleUser(6, { saml: 7 })]
  expect(await s.items()).toEqual(itemsOf([provider], users))
})
