import fc, { type Scheduler } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { membershipItem } from '../../../infra/data/table/items.ts'
import { userKey } from '../../../lib/store/keys.ts'
import { type Plan, type Reply, withoutPlan, withPlan } from '../../support/test-client.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { inState, itemsOf, never } from '../scenario.ts'
import { type Action, act, cancelled, providers, scenario } from './scenario.ts'

test.each<[Links, Links | undefined]>([
  [{}, { saml: 7 }],
  [{}, { sso: 70 }],
  [{}, { saml: 7, sso: 70 }],
  [{}, { saml: 8, sso: 70 }],
  [{}, { sso: 99 }],
  [{ saml: 7 }, { saml: 8, sso: 70 }],
  [{ saml: 7 }, { saml: 7, sso: 99 }],
  [{ saml: 7, sso: 70 }, {}],
  [{ saml: 8, sso: 70 }, { saml: 8 }],
  [{}, undefined],
  [{ saml: 8, sso: 70 }, undefined],
  [{ sso: 99 }, undefined],
])('memberships and counts follow a user from the links %j to %j', async (before, after) => {
  const s = await scenario([before, { saml: 7 }])
  await act(s, after === undefined ? ['erase', 1] : ['move', 1, after])
  const updated_at = new Date(s.clock.nowMs()).toISOString()
  const changed = after === undefined ? [] : [{ ...sampleUser(1, after), updated_at }]
  await s.has(providers, [...changed, sampleUser(2, { saml: 7 })])
})

test('a user whose items break the rules can be changed', async () => {
  const s = await scenario([{}, { saml: 8 }, {}])
  const left = membershipItem(7, userId(1))
  const [counted = {}] = itemsOf([sampleProvider(7, 70)], [sampleUser(1, { saml: 7 })]).filter(
    one => one.state,
  )
  const stored = (n: number) => s.table.get(userKey(userId(n)), never)
  await s.put(
    { ...left, expires_at: 4e9 },
    counted,
    { ...(await stored(2)), saml_provider_id: 7 },
    { ...(await stored(3)), saml_provider_id: 'seven', sso_provider_id: 1.5 },
  )
  expect(await s.move(1, { saml: 7 })).toBe('moved')
  expect(await s.items()).toContainEqual(left)
  expect([await s.move(2, {}), await s.erase(3), await s.erase(3)]).toEqual([
    'moved',
    'erased',
    'user_not_found',
  ])
  const memberships = [userId(1)]
  expect(await s.members()).toMatchObject([
    { memberCount: 1, memberships, linked: memberships },
    { memberCount: 1 },
  ])
})

test.each([
  ['removing', { memberCount: 2, memberships: [userId(1), userId(2)], linked: [] }],
  ['removed', { memberCount: 2, memberships: [userId(1), userId(2)], linked: [] }],
  ['importing', { memberCount: 0, memberships: [], linked: [] }],
])('who leaves a provider in state %s leaves it so', async (state, members) => {
  const users = [
    { saml: 7, sso: 70 },
    { saml: 8, sso: 70 },
  ]
  const s = await scenario(users)
  await s.put(...inState(state, await s.items()).filter(({ id }) => id === 7))
  expect(await s.move(1, { saml: 7 })).toBe('provider_not_active')
  expect([await s.move(1, {}), await s.erase(2)]).toEqual(['moved', 'erased'])
  expect(await s.members()).toMatchObject([members, { memberCount: 0, memberships: [] }])
})

const links = fc.constantFrom<Links>({}, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8, sso: 70 })
const n = fc.integer({ min: 1, max: 2 })
const anyAction = fc.oneof<fc.Arbitrary<Action>[]>(
  fc.tuple(fc.constant('move'), n, links),
  fc.tuple(fc.constant('erase'), n),
  fc.tuple(fc.constant('begin'), fc.constantFrom(7, 8)),
)
const anyActions = fc.array(anyAction, { minLength: 2, maxLength: 5 })

test('concurrent writers keep memberships, links and counts consistent', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.tuple(links, links),
      anyActions,
      async (scheduler, users, actions) => {
        const s = await scenario(users)
        const frozen = new Map<number, unknown>()
        const checkInvariants = async () => {
          for (const { id, state, linked, ...counted } of await s.members()) {
            if (state === 'active')
              expect(counted).toEqual({ memberCount: linked.length, memberships: linked })
            // After its removal began.
            else if (frozen.has(id)) expect(counted).toEqual(frozen.get(id))
            else frozen.set(id, counted)
          }
        }
        const serialise = oneAtATime(scheduler, checkInvariants)
        const plan: Plan = ({ operation, send }) => serialise(send, !/Get|Query/.test(operation))
        const results = await scheduler.waitFor(
          Promise.all(actions.map(action => withPlan(plan, () => act(s, action)))),
        )
        for (const result of results) expect(result).not.toBe('table_busy')
      },
    ),
    { numRuns: process.env.TEST_FULL ? 200 : 12 },
  )
})

/** Runs calls one at a time in the scheduler's order, with a check after each write. */
function oneAtATime(scheduler: Scheduler, check: () => Promise<void>) {
  let before: Promise<unknown> = Promise.resolve()
  return async (send: () => Promise<Reply>, isWrite: boolean): Promise<Reply> => {
    await scheduler.schedule(Promise.resolve())
    const sending = before.then(() => send())
    before = sending.catch(() => {}).then(() => (isWrite ? withoutPlan(check) : undefined))
    await before
    return sending
  }
}

describe('a transaction', () => {
  /** Decides what happens to the n-th transaction. */
  const onWrites = (decide: (n: number, send: () => Promise<Reply>) => Promise<Reply>): Plan => {
    let n = 0
    return ({ operation, send }) => (operation === 'TransactWriteItems' ? decide(++n, send) : send())
  }
  const notMember = { memberCount: 0, memberships: [], linked: [] }
  const member = { memberCount: 1, memberships: [userId(1)], linked: [userId(1)] }
  const unlinked = { memberCount: 1, memberships: [userId(1)], linked: [] }

  test.each<[Links, Action, Action, string, object[]]>([
    [{}, ['move', 1, { saml: 7 }], ['move', 1, { saml: 8 }], 'moved', [member, notMember]],
    [{}, ['move', 1, { saml: 7 }], ['erase', 1], 'user_not_found', [notMember, notMember]],
    [{}, ['move', 1, { saml: 7 }], ['begin', 7], 'provider_not_active', [notMember, notMember]],
    [{}, ['erase', 1], ['move', 1, { saml: 7 }], 'erased', [notMember, notMember]],
    [{ saml: 7 }, ['move', 1, {}], ['move', 1, {}], 'moved', [notMember, notMember]],
    [{ saml: 7 }, ['move', 1, {}], ['begin', 7], 'moved', [unlinked, notMember]],
    [{ saml: 7 }, ['erase', 1], ['begin', 7], 'erased', [unlinked, notMember]],
    [{ saml: 7 }, ['erase', 1], ['move', 1, {}], 'erased', [notMember, notMember]],
    [{ saml: 7 }, ['move', 1, { saml: 8 }], ['begin', 7], 'moved', [unlinked, member]],
    [{ saml: 7 }, ['move', 1, { saml: 8 }], ['begin', 8], 'provider_not_active', [member, notMember]],
    [{ saml: 7 }, ['move', 1, { saml: 8 }], ['move', 1, { saml: 8 }], 'moved', [notMember, member]],
  ])(
    'of a user with %j: %j, after a concurrent %j, ends as %s',
    async (links, action, rival, outcome, members) => {
      const s = await scenario([links])
      const plan = onWrites(async (n, send) => {
        if (n === 1) await withoutPlan(() => act(s, rival))
        return send()
      })
      expect(await withPlan(plan, () => act(s, action))).toBe(outcome)
      expect(await s.members()).toMatchObject(members)
    },
  )

  const ever = Number.POSITIVE_INFINITY
  const failing = (code: string) => () => Promise.reject(cancelled('None', code))
  const losing = async (send: () => Promise<Reply>) => {
    await send()
    throw Object.assign(new Error(), { code: 'ECONNRESET' })
  }
  test.each<[string, number, string, (send: () => Promise<Reply>) => Promise<Reply>]>([
    ['loses its reply', 1, 'erased', losing],
    ['meets another one', 3, 'erased', failing('TransactionConflict')],
    ['meets another one', ever, 'table_busy', failing('TransactionConflict')],
    ['is throttled', 3, 'erased', failing('ProvisionedThroughputExceeded')],
    ['is refused', ever, 'table_busy', failing('ConditionalCheckFailed')],
    ['is invalid', ever, 'Error', failing('ValidationError')],
    ['is not allowed', 1, 'TransactionCanceledException', failing('AccessDenied')],
  ])('that %s %d times ends as %s', async (_, times, outcome, fail) => {
    const s = await scenario([{ saml: 7 }])
    const plan = onWrites((n, send) => (n <= times ? fail(send) : send()))
    const erasing = withPlan(plan, () => s.erase(1))
    expect(await erasing.catch(({ code, name }) => code ?? name)).toBe(outcome)
  })
})
