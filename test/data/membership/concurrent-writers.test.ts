import fc, { type Scheduler } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Plan, type Reply, withoutPlan, withPlan } from '../../support/test-client.ts'
import { type Links, userId } from '../../support/samples.ts'
import { type Action, act, cancelled, scenario } from './scenario.ts'

const links = fc.constantFrom<Links>({}, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8, sso: 70 })
const n = fc.integer({ min: 1, max: 2 })
const providerId = fc.constantFrom(7, 8)
const anyAction = fc.oneof<fc.Arbitrary<Action>[]>(
  fc.tuple(fc.constantFrom('link', 'move'), n, links),
  fc.tuple(fc.constant('unlink'), n, providerId),
  fc.tuple(fc.constant('erase'), n),
  fc.tuple(fc.constant('begin'), providerId),
)
const anyActions = fc.array(anyAction, { minLength: 2, maxLength: 5 })

test('concurrent writers keep memberships, links and counts consistent', {
  timeout: 600_000,
}, async () => {
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
    [{}, ['link', 1, { saml: 7 }], ['link', 1, { saml: 8 }], 'already_linked', [notMember, member]],
    [{}, ['link', 1, { saml: 7 }], ['erase', 1], 'user_not_found', [notMember, notMember]],
    [{}, ['link', 1, { saml: 7 }], ['begin', 7], 'provider_not_active', [notMember, notMember]],
    [{ saml: 7 }, ['unlink', 1, 7], ['unlink', 1, 7], 'not_linked', [notMember, notMember]],
    [{ saml: 7 }, ['unlink', 1, 7], ['begin', 7], 'unlinked', [unlinked, notMember]],
    [{ saml: 7 }, ['erase', 1], ['begin', 7], 'erased', [unlinked, notMember]],
    [{ saml: 7 }, ['erase', 1], ['unlink', 1, 7], 'erased', [notMember, notMember]],
    [{}, ['erase', 1], ['link', 1, { saml: 7 }], 'erased', [notMember, notMember]],
    [{ saml: 7 }, ['move', 1, { saml: 8 }], ['begin', 7], 'moved', [unlinked, member]],
    [{ saml: 7 }, ['move', 1, { saml: 8 }], ['begin', 8], 'provider_not_active', [member, notMember]],
    [{ saml: 7 }, ['move', 1, { saml: 8 }], ['unlink', 1, 7], 'moved', [notMember, member]],
    [{}, ['move', 1, { saml: 8 }], ['link', 1, { saml: 7 }], 'moved', [notMember, member]],
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
    ['loses its reply', 1, 'unlinked', losing],
    ['meets another one', 3, 'unlinked', failing('TransactionConflict')],
    ['meets another one', ever, 'table_busy', failing('TransactionConflict')],
    ['is throttled', 3, 'unlinked', failing('ProvisionedThroughputExceeded')],
    ['is refused', ever, 'table_busy', failing('ConditionalCheckFailed')],
    ['is invalid', ever, 'Error', failing('ValidationError')],
    ['is not allowed', 1, 'TransactionCanceledException', failing('AccessDenied')],
  ])('that %s %d times ends as %s', async (_, times, outcome, fail) => {
    const s = await scenario([{ saml: 7 }])
    const plan = onWrites((n, send) => (n <= times ? fail(send) : send()))
    const unlinking = withPlan(plan, () => s.unlink(1, 7))
    expect(await unlinking.catch(({ code, name }) => code ?? name)).toBe(outcome)
  })
})
