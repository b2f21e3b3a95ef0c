import { expect, test } from 'vitest'
import { membershipItem, userItem } from '../../infra/data/table/encoding.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { sampleUser, userId } from '../support/samples.ts'
import { worldOf } from './scenario.ts'

const weekMs = 7 * 86_400_000

/** A finished removal of provider 7 with users 0, 1 and 2. */
async function removed() {
  const w = await worldOf(3)
  return { ...w, first: await w.remove(7) }
}

test('a DELETE of a removed provider does not touch a user whom a writer has linked against the rules', async () => {
  const w = await removed()
  await w.put(userItem(sampleUser(4, { saml: 7 })), membershipItem(7, userId(4)))
  const before = await w.items()
  expect((await w.remove(7)).text).toBe(w.first.text)
  expect(await w.items()).toEqual(before)
  expect(w.loggedAs('membership_drift')).toEqual([
    expect.objectContaining({ provider_id: 7, expected: 3, found: 4 }),
  ])
})

test.each([
  ['3', {}],
  ['absent and member_count 3', { affected_total: undefined }],
  ['malformed and member_count 3', { affected_total: '2' }],
])(
  'a DELETE of a removed provider is 404 when TTL has deleted a part of the list: affected_total %s',
  async (_, change) => {
    const w = await removed()
    const provider = await w.provider()
    expect(provider.affected_total).toBe(3)
    await w.put({ ...provider, ...change })
    expect((await w.remove(7)).text).toBe(w.first.text)
    expect(w.loggedAs('membership_drift')).toEqual([])
    await w.drop(membershipKey(7, userId(1)))
    expect((await w.remove(7)).json().code).toBe('provider_not_found')
  },
)

test('a DELETE of a removed provider has the same answer until the retention ends', async () => {
  const w = await removed()
  const removeWhile = (ms: number) => {
    const plan: Plan = async ({ operation, send }) => {
      const reply = await send()
      if (operation === 'Query') w.clock.suspend(ms)
      return reply
    }
    return withPlan(plan, () => w.remove(7))
  }
  w.clock.advance(weekMs - 1000)
  expect(await removeWhile(999)).toMatchObject({ status: 200, text: w.first.text })
  expect((await removeWhile(1)).json().code).toBe('provider_not_found')
})

test.each([
  ['its tombstone', 1],
  ['its end', 2],
])('a DELETE that another one overtakes before %s gets the same answer', async (_, nthUpdate) => {
  const w = await worldOf(3)
  let updates = 0
  let first = ''
  const overtake = async () => {
    w.clock.advance(1)
    first = String((await w.clock.thaw(() => w.remove(7))).text)
  }
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'UpdateItem' && ++updates === nthUpdate) await withoutPlan(overtake)
    return send()
  }
  const { text } = await withPlan(plan, () => w.remove(7))
  expect(first).toContain(userId(1))
  expect(text).toBe(first)
})
