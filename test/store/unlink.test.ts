import { expect, test } from 'vitest'
import { membershipKey, membershipsOf } from '../../lib/store/keys.ts'
import { cancelled, transactions } from '../support/refusals.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { withoutPlan } from '../support/test-client.ts'
import { beforeTheFirst, end, inAllWays, removing, removingOf, ways } from './removing.ts'

test('members with any links are unlinked and marked together, in two transactions at most', async () => {
  const { unlink, userItems, marked } = await inAllWays()
  const withoutLink = async () => (await userItems()).slice(-2)
  const before = await withoutLink()
  expect(await unlink()).toEqual({ unlinked: ways.length, sizes: [ways.length, ways.length] })
  expect(await withoutLink()).toEqual(before)
  const stored = (await userItems()).map(({ saml_provider_id: saml, sso_provider_id: sso }) => ({
    saml,
    sso,
  }))
  expect(stored).toEqual(ways.map(([, after]) => after))
  expect(await marked()).toHaveLength(ways.length)
  expect(await unlink()).toEqual({ unlinked: ways.length, sizes: [ways.length] })
})

test('members who are linked to no other provider are unlinked and marked in one transaction', async () => {
  const { unlink, linked, marked } = await removing(ways.slice(0, 3).map(([way], n) => sampleUser(n, way)))
  expect(await unlink()).toEqual({ unlinked: 3, sizes: [3] })
  expect([await linked(), (await marked()).length]).toEqual([[], 3])
})

test('a provider without an SSO provider has no link by one', async () => {
  const users = [sampleUser(1, { saml: 7, sso: 70 }), sampleUser(2, { saml: 8, sso: 70 })]
  const { unlink, userItems } = await removing(users, sampleProvider(7))
  expect(await unlink()).toEqual({ unlinked: 2, sizes: [2, 2] })
  const [one, other] = await userItems()
  expect(one).toMatchObject({ sso_provider_id: 70 })
  expect(one).not.toHaveProperty('saml_provider_id')
  expect(other).toMatchObject({ saml_provider_id: 8, sso_provider_id: 70 })
})

test('nobody who is no member is unlinked and marked', async () => {
  const { w, ids, unlink } = await inAllWays()
  const stored = await w.items()
  const nobody = { unlinked: 0, error: 'table_busy', sizes: [1] }
  expect(await unlink(undefined, [userId(9)])).toEqual(nobody)
  expect(await w.items()).toEqual(stored)
  expect(await unlink(undefined, [...ids, userId(9)])).toMatchObject({ unlinked: ways.length })
})

test('a mark of another end counts as none', async () => {
  const { w, unlink, ids, marked } = await removingOf(1)
  const [one = ''] = ids
  await w.put({ ...membershipKey(7, one), expires_at: end - 1 })
  expect(await unlink()).toEqual({ unlinked: 1, sizes: [1] })
  expect(await marked()).toHaveLength(1)
})

test('a membership that is deleted before the transaction is not made again', async () => {
  const { w, ids, unlink } = await inAllWays()
  const deleting = beforeTheFirst(() => w.drop(membershipKey(7, ids[0] ?? '')))
  expect(await unlink(deleting)).toMatchObject({ unlinked: ways.length - 1, error: 'table_busy' })
  expect((await w.items()).filter(({ PK }) => PK === membershipsOf(7).PK)).toHaveLength(ways.length - 1)
})

test('users are changed at the moment of the unlinking', async () => {
  const { w, unlink, userItems } = await removingOf(1)
  w.clock.advance(3_600_000)
  await unlink()
  const updated_at = new Date(w.clock.nowMs()).toISOString()
  expect(await userItems()).toMatchObject([{ updated_at }])
})

test.each(['TransactionConflict', 'ThrottlingError'])(
  'members are tried together while their provider is refused: %s',
  async code => {
    const { w, unlink, userItems } = await removingOf(49)
    let left = 19
    const busy = transactions(async () => (left-- > 0 ? cancelled(code, code) : undefined))
    expect(await unlink(busy)).toEqual({ unlinked: 49, sizes: Array(20).fill(49) })
    expect(w.clock.elapsedMs()).toBeGreaterThan(1000)
    const updated_at = new Date(w.clock.nowMs()).toISOString()
    expect(await userItems()).toMatchObject(Array(49).fill({ updated_at }))
  },
)

test('members are sent again, as they are, while their provider is refused', async () => {
  const { unlink, ids } = await removingOf(3)
  const rival = async () => void (await unlink(undefined, ids.slice(0, 1)))
  let left = 1
  const busy = transactions(async () => {
    if (left-- <= 0) return undefined
    await withoutPlan(rival)
    return cancelled('TransactionConflict')
  })
  expect(await unlink(busy)).toEqual({ unlinked: 3, sizes: [3, 3, 2] })
})
