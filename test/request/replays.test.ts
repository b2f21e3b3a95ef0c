import { describe, expect, test } from 'vitest'
import { membershipItem, userItem } from '../../lib/store/items.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../removal/faults.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'

const weekMs = 7 * 86_400_000

/** A finished removal of provider 7 with users 1, 2 and 3. */
async function removed() {
  const w = await world()
  await w.putProvider(
    sampleProvider(7),
    [1, 2, 3].map(n => sampleUser(n, { saml: 7 })),
  )
  const first = await w.remove(7)
  return {
    ...w,
    first,
    /** As TTL does it. */
    deleteMembership: (n: number) => w.drop(membershipKey(7, userId(n))),
    /** Sends the DELETE, and moves the clock after the memberships were read. */
    removeWhile(ms: number) {
      const plan: Plan = async ({ operation, send }) => {
        const reply = await send()
        if (operation === 'Query') w.clock.suspend(ms)
        return reply
      }
      return withPlan(plan, () => w.remove(7)).then(({ result }) => result)
    },
  }
}

describe('a DELETE of a removed provider', () => {
  test('does not list, or change, a user whom a writer has linked against the rules, and logs it', async () => {
    const w = await removed()
    const stranger = userItem(sampleUser(4, { saml: 7 }))
    await w.put(stranger, membershipItem(7, userId(4)))
    const before = await w.items()
    expect((await w.remove(7)).text).toBe(w.first.text)
    expect(await w.items()).toEqual(before)
    expect(w.loggedAs('membership_drift')).toEqual([
      expect.objectContaining({ provider_id: 7, expected: 3, found: 4 }),
    ])
  })

  test('is 404 when TTL has deleted a part of the list, by a clock that is ahead', async () => {
    const w = await removed()
    await w.deleteMembership(2)
    expect((await w.remove(7)).json().code).toBe('provider_not_found')
  })

  test('is 404 unless the whole list was read before the retention ended', async () => {
    const w = await removed()
    w.clock.advance(weekMs - 1000)
    expect((await w.removeWhile(999)).text).toBe(w.first.text)
    expect((await w.removeWhile(1)).json().code).toBe('provider_not_found')
  })

  test.each(['absent', 'malformed'])('believes member_count when affected_total is %s', async kind => {
    const w = await removed()
    const { affected_total, ...provider } = await w.provider()
    expect(affected_total).toBe(3)
    await w.put(kind === 'absent' ? provider : { ...provider, affected_total: '2' })
    expect((await w.remove(7)).text).toBe(w.first.text)
    expect(w.loggedAs('membership_drift')).toEqual([])
    await w.deleteMembership(2)
    expect((await w.remove(7)).json().code).toBe('provider_not_found')
  })
})

test('a removal that goes on after its retention ends, and is 404 when TTL has deleted a part of its list', async () => {
  const w = await removed()
  const { removed_at, expires_at, affected_total, ...provider } = await w.provider()
  await w.put({ ...provider, state: 'removing' })
  await w.deleteMembership(2)
  w.clock.advance(weekMs)
  expect((await w.remove(7)).json().code).toBe('provider_not_found')
  expect(await w.provider()).toMatchObject({ state: 'removed', expires_at: provider.retained_until })
})

describe('a DELETE that lists after another has finished the removal', () => {
  /** Sends a DELETE during whose listing another DELETE finishes the removal, and then something happens. */
  async function overtaken(
    change: (w: Awaited<ReturnType<typeof removed>>) => Promise<unknown>,
    at = 'Query',
  ) {
    const w = await removed()
    const { removed_at, expires_at, affected_total, ...provider } = await w.provider()
    await w.put({ ...provider, state: 'removing' })
    let hasHappened = false
    const plan: Plan = async ({ operation, send }) => {
      if (operation === at && !hasHappened) {
        hasHappened = true
        w.clock.advance(1)
        const other = () => w.clock.thaw(() => w.remove(7))
        expect((await withoutPlan(other)).text).toBe(w.first.text)
        await withoutPlan(() => change(w))
      }
      return send()
    }
    const { result } = await withPlan(plan, () => w.remove(7))
    return { ...w, result }
  }

  test('neither unlinks nor lists a user who was linked against the rules', async () => {
    const stranger = userItem(sampleUser(4, { saml: 7 }))
    const w = await overtaken(({ put }) => put(stranger, membershipItem(7, userId(4))))
    expect(w.result.text).toBe(w.first.text)
    expect(await w.items()).toContainEqual(stranger)
  })

  test.each(['Query', 'UpdateItem'])(
    'is 404 when TTL has deleted a part of the list before its %s',
    async at => {
      const w = await overtaken(({ deleteMembership }) => deleteMembership(2), at)
      expect(w.result.json().code).toBe('provider_not_found')
    },
  )
})

test('a DELETE that another one overtakes before its tombstone gets the same answer', async () => {
  const w = await world()
  const users = [1, 2, 3].map(n => sampleUser(n, { saml: 7 }))
  await w.putProvider(sampleProvider(7), users)
  let first: { text: string | Buffer } | undefined
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'UpdateItem') first ??= await withoutPlan(() => w.clock.thaw(() => w.remove(7)))
    return send()
  }
  const { result } = await withPlan(plan, () => w.remove(7))
  expect([result.status, result.text]).toEqual([200, first?.text])
})
