import { expect, test } from 'vitest'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { type Action, act, scenario } from '../membership/scenario.ts'
import { inState, itemsOf } from '../scenario.ts'

const provider = sampleProvider(7, 70)
const records = [provider, sampleUser(3, { saml: 7 })]

const actions: [string, Action][] = [
  ['links a user to it', ['move', 2, { sso: 70 }]],
  ['moves a user away', ['move', 1, { saml: 8 }]],
  ['erases a user', ['erase', 1]],
]

/** A table without the provider 7, which a link of user 1 names. */
const withoutProvider = () => scenario([{ saml: 7 }, {}], [sampleProvider(8)])

async function expectRight(s: Awaited<ReturnType<typeof scenario>>, n: number) {
  expect(await s.expectMembers(`before call ${n}`)).toBe(2)
  expect((await s.find()).faults).toEqual([])
}

/** Does something before the n-th call of some work. @returns whether there was such a call */
async function withBefore(n: number, meanwhile: () => Promise<unknown>, work: () => Promise<unknown>) {
  let calls = 0
  const plan: Plan = async ({ operation, send }) => {
    // The scan reads the same at each of its calls.
    if (operation !== 'Scan' && ++calls === n) await withoutPlan(meanwhile)
    return send()
  }
  await withPlan(plan, work)
  return calls >= n
}

test.each(actions)('a new provider has its memberships when a writer %s at any call', async (_, action) => {
  for (let n = 1, isBefore = true; isBefore; n++) {
    const s = await withoutProvider()
    isBefore = await withBefore(
      n,
      () => act(s, action),
      () => s.import(records),
    )
    await expectRight(s, n)
    if (!isBefore) expect(n).toBeGreaterThan(8)
  }
})

test.each(actions)('it has them when an import ends at any call of one who %s', async (_, action) => {
  for (let n = 1, isBefore = true; isBefore; n++) {
    const s = await withoutProvider()
    // An import of it was killed.
    await s.put(...inState('importing', itemsOf([provider], [])))
    isBefore = await withBefore(
      n,
      () => s.import(records),
      () => act(s, action),
    )
    if (!isBefore) await s.import(records)
    await expectRight(s, n)
  }
})
