import { expect, test } from 'vitest'
import { type Item, membershipItem } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { nameOf } from '../../support/put-items.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never } from '../scenario.ts'

const update = true
const before = sampleUsers(60, { saml: 7 })
const after = [...sampleUsers(58, { sso: 70 }), ...before.slice(58), sampleUser(60, { sso: 70 })]
const record = { ...sampleProvider(7, 70), name: 'new' }
const records = ndjson(record, ...after)

test('a provider that gets its first sso_provider_id keeps its users, who move to it', async () => {
  const s = await filled([sampleProvider(7)], before)
  // By mistake: no removal has set it.
  const mistaken = { ...membershipItem(7, userId(1)), expires_at: Math.ceil(s.clock.nowMs() / 1000) }
  await s.put(mistaken)
  const { faults, counts } = await s.import(records, { update })
  expect(faults).toEqual([])
  expect(counts.usersOf.get(7)).toEqual({ join: 1, leave: 0, leftOut: 0 })
  const expected = itemsOf([record], after)
  const isMistaken = (item: Item) => nameOf(item) === nameOf(mistaken)
  expect(await s.items()).toEqual(expected.map(item => (isMistaken(item) ? mistaken : item)))
})

test('a provider gets no sso_provider_id that users have without a membership, until they are members', async () => {
  const others = sampleUsers(3, { sso: 70 })
  const linked = [sampleUser(8, { saml: 7 }), sampleUser(9, { saml: 7, sso: 70 })]
  const s = await filled([sampleProvider(7)], [...others, ...linked])
  const table = await s.items()
  const moved = [...others, sampleUser(8, { sso: 70 }), sampleUser(9, { sso: 70 })]
  const text = ndjson(sampleProvider(7, 70), ...moved)
  const held = 'the record of the provider 7 is not in the table, and the link of the user to it would change'
  for (const dryRun of [true, false]) {
    const { faults } = await s.import(text, { update, dryRun })
    expect(faults).toEqual([
      '1: 3 users have the sso_provider_id 70 without being linked to the provider 7: import them with saml_provider_id 7, or without sso_provider_id, before this record',
      `5: ${held}`,
      `6: ${held}`,
    ])
    expect(await s.items()).toEqual(table)
  }
  await s.import(ndjson(...sampleUsers(3, { saml: 7, sso: 70 })), { update })
  expect((await s.import(text, { update })).faults).toEqual([])
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 70)], moved))
})

test.each<[string, (n: number) => object, string]>([
  ['its removal begins', () => ({ state: 'removing' }), 'the provider 7 is being removed or was removed'],
  [
    'it gets another one',
    () => ({ sso_provider_id: 99 }),
    'another writer has given the provider 7 another sso_provider_id meanwhile',
  ],
  [
    'others change it all the time',
    n => ({ name: `name ${n}` }),
    'other writers changed the provider 7 meanwhile: import again',
  ],
])(
  'when a provider gets no first sso_provider_id because %s meanwhile, its users stay',
  async (_, changes, reason) => {
    const s = await filled([sampleProvider(7)], before)
    const expected = await s.items()
    let changed = {}
    let n = 0
    const change = async () => {
      changed = { ...(await s.data.table.get(providerKey(7), never)), ...changes(++n) }
      await s.put(changed)
    }
    const plan: Plan = async ({ operation, send }) => {
      if (operation === 'TransactWriteItems') await withoutPlan(change)
      return send()
    }
    const { result } = await withPlan(plan, () => s.import(records, { update }))
    expect(result.faults[0]).toBe(`1: ${reason}`)
    expect(result.faults).toHaveLength(60)
    expect(await s.items()).toEqual(expected.map(item => (item.state === undefined ? item : changed)))
  },
)
