import { expect, test } from 'vitest'
import { cancelled, type Reason, transactions } from '../support/refusals.ts'
import { sampleUser, userId } from '../support/samples.ts'
import { outputOf, type Plan, withoutPlan } from '../support/test-client.ts'
import { beforeTheFirst, inAllWays, removing, removingOf, ways } from './removing.ts'

test('a member who moves before the transaction keeps the new link', async () => {
  const { ids, unlink, linked, marked, change, userItems } = await removingOf(3)
  const moving = beforeTheFirst(() => change(ids[1], { saml_provider_id: 8 }))
  expect(await unlink(moving)).toEqual({ unlinked: 3, sizes: [3, 3] })
  expect([await linked(), (await marked()).length]).toEqual([[], 3])
  expect((await userItems()).map(({ saml_provider_id: saml }) => saml)).toEqual([undefined, 8, undefined])
})

test('members whom another attempt unlinks before each transaction are counted', async () => {
  const { unlink, ids } = await removingOf(5)
  const taken = [ids.slice(0, 2), ids.slice(2, 4)]
  const rival = transactions(async () => {
    const some = taken.shift()
    if (some) await withoutPlan(() => unlink(undefined, some))
    return undefined
  })
  expect(await unlink(rival)).toEqual({ unlinked: 5, sizes: [5, 3, 1] })
})

/** Changes the reasons of each refusal. */
const replied =
  (change: (reasons: Reason[]) => Reason[]): Plan =>
  async ({ send }) => {
    const reply = await send()
    const { CancellationReasons: reasons } = outputOf(reply)
    return reasons === undefined ? reply : cancelled(...change(reasons))
  }

test('members are right when a refusal names the first one alone', async () => {
  const { unlink, linked, marked } = await inAllWays()
  const first = replied(reasons => {
    const named = reasons.findIndex(({ Code }) => Code !== 'None')
    return reasons.map((reason, n) => (n === named ? reason : { Code: 'None' }))
  })
  expect(await unlink(first)).toEqual({ unlinked: ways.length, sizes: Array(5).fill(ways.length) })
  expect([await linked(), (await marked()).length]).toEqual([[], ways.length])
})

test('a member whose membership is returned without the mark waits', async () => {
  const { unlink } = await removingOf(2)
  const unmarked = { Code: 'ConditionalCheckFailed', Item: { expires_at: { N: '1' } } }
  let sent = 0
  const plan = transactions(async () =>
    sent++ === 0 ? cancelled('None', unmarked, 'None', 'None', 'None') : undefined,
  )
  expect(await unlink(plan)).toEqual({ unlinked: 1, error: 'table_busy', sizes: [2, 1] })
})

const withoutItems = replied(reasons => reasons.map(({ Code }) => ({ Code })))

test('who cannot be told from no member, because no item is returned, makes the round not the last', async () => {
  const { unlink, ids } = await removingOf(3)
  await unlink(undefined, ids.slice(0, 1))
  expect(await unlink(withoutItems)).toEqual({ unlinked: 2, error: 'table_busy', sizes: [3, 2] })
})

test('a user whose item is not returned waits', async () => {
  const { unlink, linked } = await removing([sampleUser(1, { saml: 7, sso: 80 }), sampleUser(2, { sso: 70 })])
  expect(await unlink(withoutItems)).toEqual({ unlinked: 1, error: 'table_busy', sizes: [2, 2, 1] })
  expect(await linked()).toMatchObject([{ id: userId(1), saml_provider_id: 7 }])
})

test('a member whose membership is refused otherwise waits, although the user is returned', async () => {
  const { unlink, ids } = await removingOf(3)
  let sent = 0
  const plan = transactions(async () =>
    sent++ === 0
      ? cancelled('None', 'None', 'None', 'TransactionConflict', 'ConditionalCheckFailed', 'None', 'None')
      : undefined,
  )
  expect(await unlink(plan)).toEqual({ unlinked: 2, error: 'table_busy', sizes: [3, 2] })
  expect(await unlink(undefined, ids)).toEqual({ unlinked: 3, sizes: [3, 1] })
})

test('a member who moves again after the item was returned waits, and is not touched', async () => {
  const { ids, unlink, marked, change, userItems } = await removingOf(3)
  let to = 8
  const moving = transactions(async userIds => {
    if (userIds.includes(ids[1] ?? ''))
      await change(ids[1], { saml_provider_id: to++ % 2 === 0 ? 8 : 7, sso_provider_id: 80 })
    return undefined
  })
  expect(await unlink(moving)).toEqual({ unlinked: 2, error: 'table_busy', sizes: [3, 3, 2] })
  expect((await userItems())[1]).toMatchObject({ saml_provider_id: 7, sso_provider_id: 80 })
  expect(await unlink()).toEqual({ unlinked: 3, sizes: [3, 1] })
  expect((await userItems())[1]).toMatchObject({ sso_provider_id: 80 })
  expect(await marked()).toHaveLength(3)
})
