import { describe, expect, test } from 'vitest'
import { providerKey, userKey } from '../../../lib/store/keys.ts'
import { withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never } from '../scenario.ts'

const update = true

describe('an import leaves out a link', () => {
  test('to a provider that is in neither the table nor the input, and says to which', async () => {
    const s = await filled([sampleProvider(8)], [sampleUser(1, { saml: 7 })])
    await s.put(...itemsOf([], sampleUsers(1, {})))
    const { faults, counts } = await s.import(ndjson(sampleUser(2, { saml: 7 }), sampleUser(3, { saml: 8 })))
    expect(faults).toEqual([])
    expect(counts.users).toMatchObject({ read: 2, written: 2 })
    expect([...counts.usersOf]).toEqual([
      [7, { join: 0, leave: 0, leftOut: 1 }],
      [8, { join: 1, leave: 0, leftOut: 0 }],
    ])
    const user = await s.data.table.get(userKey(userId(2)), never)
    expect(user?.saml_provider_id).toBeUndefined()
  })

  test.each(['removing', 'removed'])(
    'to a provider that is %s, so that the next import goes on',
    async state => {
      const users = sampleUsers(2, { sso: 70 })
      const s = await filled([sampleProvider(7, 70)], [])
      const tombstone = { ...(await s.data.table.get(providerKey(7), never)), state }
      await s.put(tombstone)
      const records = ndjson(sampleProvider(7, 70), ...users, sampleUser(5, { saml: 7 }))
      for (const update of [false, true, true]) {
        const { faults, counts } = await s.import(records, { update })
        expect(faults).toEqual([])
        expect(counts.providers).toMatchObject({ read: 1, leftOut: 1 })
        expect(counts.usersOf.get(7)).toEqual({ join: 0, leave: 0, leftOut: 3 })
      }
      const unlinked = [...sampleUsers(2, {}), sampleUser(5)]
      expect(await s.items()).toEqual([tombstone, ...itemsOf([], unlinked)])
    },
  )

  test('not to a provider that is active here and absent from the input', async () => {
    const users = sampleUsers(3, { saml: 7 })
    const s = await filled([sampleProvider(7)], users)
    expect((await s.import(ndjson(...users), { update })).counts.users).toMatchObject({ there: 3 })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users))
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
    const { faults } = await s.import(ndjson(...users), { update })
    expect(faults).toEqual(
      [1, 2, 3].map(
        n => `${n}: the provider 7, which is being removed, and another one have its sso_provider_id`,
      ),
    )
  })

  test('to a provider of the input whose removal begins meanwhile', async () => {
    const s = await filled([sampleProvider(7)], [])
    const { result } = await withPlan(s.removalOf(7), () => s.import(ndjson(sampleUser(1, { saml: 7 }))))
    expect(result.faults).toEqual([])
    expect(await s.data.table.get(userKey(userId(1)), never)).not.toHaveProperty('saml_provider_id')
  })
})

describe('an update ends before it writes', () => {
  const end = (users: string, id = 7) =>
    `${users.replace('of', 'of the')} users of provider ${id} would leave it. If that is right, add --unlink ${id}.`

  test.each([
    [1, 1, '1 of 1'],
    [9, 9, '9 of 9'],
    [109, 11, '11 of 109'],
    [400, 41, '41 of 400'],
  ])('when of %i users of a provider %i leave', async (count, leaving, counted) => {
    const users = sampleUsers(count, { saml: 7 })
    const s = await filled([sampleProvider(7), sampleProvider(8)], users)
    const before = await s.items()
    const records = ndjson(
      { ...sampleProvider(8), display_name: 'new' },
      ...sampleUsers(leaving, { saml: 8 }),
      ...users.slice(leaving),
    )
    const { stopped, isTrial } = await s.import(records, { update })
    expect([stopped, isTrial]).toEqual([[end(counted)], true])
    expect(await s.items()).toEqual(before)
    const { counts } = await s.import(records, { update, unlink: [7] })
    expect(counts.usersOf.get(7)).toEqual({ join: 0, leave: leaving, leftOut: 0 })
    expect(counts.usersOf.get(8)).toEqual({ join: leaving, leave: 0, leftOut: 0 })
  })

  test.each([
    [11, 10],
    [110, 11],
  ])('not when of %i users %i leave', async (count, leaving) => {
    const users = sampleUsers(count, { saml: 7 })
    const s = await filled([sampleProvider(7)], users)
    const left = [...sampleUsers(leaving, {}), ...users.slice(leaving)]
    expect((await s.import(ndjson(...left), { update })).faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], left))
  })

  test.each([
    ['too high', 1000, 25, 25, '25 of 25'],
    ['too high', 1000, 30, 11, '11 of 30'],
    ['too low', 11, 200, 11, '11 of 11'],
    ['none', null, 25, 25, '25 of 25'],
  ])('when member_count is %s: %j', async (_, member_count, count, leaving, counted) => {
    const users = sampleUsers(count, { saml: 7 })
    const s = await filled([sampleProvider(7)], users)
    await s.put({ ...(await s.data.table.get(providerKey(7), never)), member_count })
    const before = await s.items()
    const { stopped } = await s.import(ndjson(...sampleUsers(leaving, {})), { update })
    expect(stopped).toEqual([end(counted)])
    expect(await s.items()).toEqual(before)
  })

  test('and a dry run says the same', async () => {
    const s = await filled([sampleProvider(7)], sampleUsers(3, { saml: 7 }))
    const { stopped, isTrial } = await s.import(ndjson(...sampleUsers(3, {})), { update, dryRun: true })
    expect([stopped, isTrial]).toEqual([[end('3 of 3')], true])
  })
})
