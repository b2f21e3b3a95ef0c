import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { membershipKey, providerKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
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

test.each<[string, Action]>([
  ['links a user to another provider', ['link', 2, { saml: 8 }]],
  ['links a user to the new provider', ['link', 2, { sso: 70 }]],
  ['unlinks a user', ['unlink', 1, 7]],
  ['moves a user away', ['move', 1, { saml: 8 }]],
  ['erases a user', ['erase', 1]],
])('the memberships of a new provider are right when another writer %s at any call', async (_, action) => {
  let overtaken = 0
  for (let at = 1; at === overtaken + 1; at++) {
    const s = await scenario()
    let calls = 0
    const plan: Plan = async ({ operation, send }) => {
      // The scan reads the same at each of its calls.
      if (operation === 'Scan' || ++calls !== at) return send()
      overtaken += 1
      await withoutPlan(() => act(s, action))
      return send()
    }
    const records = ndjson(sampleProvider(7, 70), sampleUser(3, { saml: 7 }))
    const { importing } = (await withPlan(plan, () => s.import(records))).result
    const members = await s.members()
    expect(importing).toEqual([])
    expect(members.map(({ state }) => state)).toEqual(['active', 'active'])
    for (const { memberCount, memberships, linked } of members)
      expect([memberCount, memberships], `before call ${at}`).toEqual([linked.length, linked])
    expect((await s.find()).faults).toEqual([])
  }
  expect(overtaken).toBeGreaterThan(8)
})
