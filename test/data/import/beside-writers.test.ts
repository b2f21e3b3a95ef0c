import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { providerItem } from '../../../infra/data/table/items.ts'
import { membershipKey, providerKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { type Action, act, scenario as scenarioOfWriters } from '../membership/scenario.ts'
import { ndjson } from '../scenario.ts'

/** A table with provider 8, and with user 1 whose link names provider 7, which is not there. */
async function scenario() {
  const s = await scenarioOfWriters([{ saml: 7 }, {}])
  for (const Key of [providerKey(7), membershipKey(7, userId(1))])
    await s.client.send(new DeleteCommand({ TableName: s.tableName, Key }))
  return s
}

type Scenario = Awaited<ReturnType<typeof scenario>>

const records = ndjson(sampleProvider(7, 70), sampleUser(3, { saml: 7 }))

const actions: [string, Action][] = [
  ['links a user to another provider', ['link', 2, { saml: 8 }]],
  ['links a user to the new provider', ['link', 2, { sso: 70 }]],
  ['unlinks a user', ['unlink', 1, 7]],
  ['moves a user away', ['move', 1, { saml: 8 }]],
  ['erases a user', ['erase', 1]],
]

async function expectRightMemberships(s: Scenario, at: string) {
  const members = await s.members()
  expect(members.map(({ state }) => state)).toEqual(['active', 'active'])
  for (const { memberCount, memberships, linked } of members)
    expect([memberCount, memberships], at).toEqual([linked.length, linked])
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

test.each(actions)(
  'a new provider has the right memberships when another writer %s at any call',
  async (_, action) => {
    for (let n = 1, isBefore = true; isBefore; n++) {
      const s = await scenario()
      isBefore = await withBefore(
        n,
        () => act(s, action),
        () => s.import(records),
      )
      await expectRightMemberships(s, `before call ${n}`)
      if (!isBefore) expect(n).toBeGreaterThan(8)
    }
  },
)

test.each(actions)('it has them when its import ends at any call of a writer who %s', async (_, action) => {
  for (let n = 1, isBefore = true; isBefore; n++) {
    const s = await scenario()
    // An import of it was killed.
    await s.put({ ...providerItem(sampleProvider(7, 70), 0), state: 'importing' })
    isBefore = await withBefore(
      n,
      () => s.import(records),
      () => act(s, action),
    )
    if (!isBefore) await s.import(records)
    await expectRightMemberships(s, `before call ${n}`)
  }
})
