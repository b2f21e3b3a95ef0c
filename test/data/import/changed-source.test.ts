import { describe, expect, test } from 'vitest'
import { providerKey, userKey } from '../../../lib/store/keys.ts'
import { withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'

const update = true

describe('an import leaves out a link', () => {
  test('to a provider that is in neither the table nor the input, which it names, and to no other', async () => {
    const users = sampleUsers(3, { saml: 8 })
    const s = await filled([sampleProvider(8)], users)
    const unreadable = { ...sampleUser(1), is_disabled: 'no' }
    const added = [sampleUser(4, { saml: 7 }), sampleUser(5, { saml: 8 })]
    const { faults, counts } = await s.import(ndjson(unreadable, ...users, ...added), { update })
    expect(faults).toEqual([expect.stringMatching(/^1: is_disabled must/)])
    expect(counts.users).toMatchObject({ read: 5, there: 3, written: 2 })
    expect([...counts.usersOf]).toEqual([
      [7, { join: 0, leave: 0, leftOut: 1 }],
      [8, { join: 1, leave: 0, leftOut: 0 }],
    ])
    const expected = [...users, sampleUser(4), sampleUser(5, { saml: 8 })]
    expect(await s.items()).toEqual(itemsOf([sampleProvider(8)], expected))
  })

  test('to a provider that is being removed or was removed, so that the next import goes on', async () => {
    const providers = [sampleProvider(7, 70), sampleProvider(8, 80)]
    const tombstones = itemsOf(providers, []).map((item, n) => ({
      ...item,
      state: ['removing', 'removed'][n],
    }))
    const s = await scenario()
    await s.put(...tombstones)
    const links = [{ saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8 }, { sso: 80 }]
    const users = links.map((one, n) => sampleUser(n, one))
    const records = ndjson(sampleProvider(7, 70), sampleProvider(8, 81), ...users)
    for (const update of [false, true, true]) {
      const { faults, counts } = await s.import(records, { update })
      expect(faults).toEqual([])
      expect(counts.providers).toMatchObject({ read: 2, leftOut: 2 })
      expect([7, 8].map(id => counts.usersOf.get(id)?.leftOut)).toEqual([3, 2])
    }
    expect(await s.items()).toEqual([...tombstones, ...itemsOf([], sampleUsers(users.length))])
  })

  test('not to the active one of two providers with its sso_provider_id, of which the other was removed', async () => {
    const users = sampleUsers(3, { sso: 70 })
    const s = await filled([sampleProvider(8, 70)], users)
    const [removed] = itemsOf([sampleProvider(7, 70)], [])
    await s.put({ ...removed, state: 'removed' })
    const before = await s.items()
    expect((await s.import(ndjson(...users), { update })).counts.users).toMatchObject({ there: 3 })
    expect(await s.items()).toEqual(before)
    await s.put({ ...removed, state: 'removing' })
    const reason = 'the provider 7, which is being removed, and another one have its sso_provider_id'
    const { faults } = await s.import(ndjson(...users), { update })
    expect(faults).toEqual([1, 2, 3].map(n => `${n}: ${reason}`))
  })

  test('to a provider of the input whose removal begins meanwhile', async () => {
    const s = await filled([sampleProvider(7)], [])
    const { result } = await withPlan(s.removalOf(7), () => s.import(ndjson(sampleUser(1, { saml: 7 }))))
    expect(result.faults).toEqual([])
    expect(await s.data.table.get(userKey(userId(1)), never)).not.toHaveProperty('saml_provider_id')
  })
})

test.each<[count: number, leaving: number, facts: object, counted?: string]>([
  [1, 1, {}, '1 of the 1'],
  [9, 9, {}, '9 of the 9'],
  [11, 10, {}],
  [109, 11, {}, '11 of the 109'],
  [110, 11, {}],
  [400, 41, {}, '41 of the 400'],
  [30, 11, { member_count: 1000 }, '11 of the 30'],
  [25, 25, { member_count: 1000 }, '25 of the 25'],
  [200, 11, { member_count: 11 }, '11 of the 11'],
  [25, 25, { member_count: null }, '25 of the 25'],
])(
  'when of %i users of a provider %i would leave it, an update with %j ends before it writes if that is all, or many',
  async (count, leaving, facts, counted) => {
    const users = sampleUsers(count, { saml: 7 })
    const s = await filled([sampleProvider(7), sampleProvider(8)], users)
    await s.put({ ...(await s.data.table.get(providerKey(7), never)), ...facts })
    const before = await s.items()
    const after = [...sampleUsers(leaving, { saml: 8 }), ...users.slice(leaving)]
    const renamed = { ...sampleProvider(8), display_name: 'new' }
    const records = ndjson(renamed, ...after)
    const sentence = `${counted} users of provider 7 would leave it. If that is right, add --unlink 7.`
    for (const dryRun of counted === undefined ? [] : [true, false]) {
      const { stopped, isTrial, counts } = await s.import(records, { update, dryRun })
      expect([stopped, isTrial]).toEqual([[sentence], true])
      expect(counts.usersOf.get(7)).toEqual({ join: 0, leave: leaving, leftOut: 0 })
      expect(counts.usersOf.get(8)).toEqual({ join: leaving, leave: 0, leftOut: 0 })
      expect(await s.items()).toEqual(before)
    }
    const unlink = counted === undefined ? [] : [7]
    expect((await s.import(records, { update, unlink })).stopped).toEqual([])
    if (Object.keys(facts).length > 0) return
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7), renamed], after))
  },
)
