import fc, { type Scheduler } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outside, type Plan, type Reply, under } from '../removal/faults.ts'
import { type Links, userId } from '../support/samples.ts'
import { type MembershipScene, scene } from './scene.ts'

const links = fc.constantFrom<Links>({}, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8, sso: 70 })
const n = fc.integer({ min: 1, max: 2 })
const providerId = fc.constantFrom(7, 8)
type Deed = ['link', number, Links] | ['unlink', number, number] | ['erase', number] | ['begin', number]
const deed = fc.oneof<fc.Arbitrary<Deed>[]>(
  fc.tuple(fc.constant('link'), n, links),
  fc.tuple(fc.constant('unlink'), n, providerId),
  fc.tuple(fc.constant('erase'), n),
  fc.tuple(fc.constant('begin'), providerId),
)
const deeds = fc.array(deed, { minLength: 2, maxLength: 5 })

test('writers in any order, call by call, keep edges, links and counts alike, and freeze them when a removal begins', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.tuple(links, links), deeds, async (scheduler, users, them) => {
      const s = await scene(users)
      const broken: string[] = []
      const frozen = new Map<number, string>()
      const look = async () => {
        for (const { id, state, memberCount, edges, linked } of await s.members()) {
          const seen = JSON.stringify({ memberCount, edges })
          if (state === 'active') {
            if (JSON.stringify(edges) !== JSON.stringify(linked))
              broken.push(`${id}: ${edges} edges, ${linked} linked`)
            if (memberCount !== edges.length)
              broken.push(`${id}: ${memberCount} counted, ${edges.length} edges`)
          } else if ((frozen.get(id) ?? seen) !== seen) broken.push(`${id}: ${seen} after its removal began`)
          else frozen.set(id, seen)
        }
      }
      const alone = oneAtATime(scheduler, look)
      const plan: Plan = call => alone(call.send)
      const results = await scheduler.waitFor(
        Promise.all(them.map(async what => (await under(plan, () => act(s, what))).result)),
      )
      expect(broken).toEqual([])
      for (const result of results) expect(result).not.toBe('table_busy')
    }),
    { numRuns: process.env.TEST_FULL ? 500 : 40 },
  )
})

async function act(s: MembershipScene, deed: Deed): Promise<unknown> {
  if (deed[0] === 'link') return s.link(deed[1], deed[2])
  if (deed[0] === 'unlink') return s.unlink(deed[1], deed[2])
  if (deed[0] === 'erase') return s.erase(deed[1])
  return s.begin(deed[1])
}

/** Lets calls go in the scheduler's order, each while nothing else runs, and has a look after each. */
function oneAtATime(scheduler: Scheduler, look: () => Promise<void>) {
  let before: Promise<unknown> = Promise.resolve()
  return async (send: () => Promise<Reply>): Promise<Reply> => {
    await scheduler.schedule(Promise.resolve())
    const sending = before.then(() => send())
    before = sending.catch(() => {}).then(() => outside(look))
    await before
    return sending
  }
}

describe('a transaction', () => {
  const isWrite = (operation: string) => operation === 'TransactWriteItems'
  const cancelled = (...codes: string[]) =>
    Object.assign(new Error('cancelled'), {
      name: 'TransactionCanceledException',
      CancellationReasons: codes.map(Code => ({ Code })),
    })

  const gone = { memberCount: 0, edges: [], linked: [] }
  const there = { memberCount: 1, edges: [userId(1)], linked: [userId(1)] }
  const unlinked = { memberCount: 1, edges: [userId(1)], linked: [] }

  test.each<[Links, Deed, Deed, string, object[]]>([
    [{}, ['link', 1, { saml: 7 }], ['link', 1, { saml: 8 }], 'already_linked', [gone, there]],
    [{}, ['link', 1, { saml: 7 }], ['link', 1, { sso: 99 }], 'already_linked', [gone, gone]],
    [{}, ['link', 1, { saml: 7 }], ['erase', 1], 'user_not_found', [gone, gone]],
    [{}, ['link', 1, { sso: 99 }], ['erase', 1], 'user_not_found', [gone, gone]],
    [{}, ['link', 1, { saml: 7 }], ['begin', 7], 'provider_not_active', [gone, gone]],
    [{ saml: 7 }, ['unlink', 1, 7], ['unlink', 1, 7], 'not_linked', [gone, gone]],
    [{ saml: 7 }, ['unlink', 1, 7], ['begin', 7], 'unlinked', [unlinked, gone]],
    [{ saml: 8, sso: 70 }, ['unlink', 1, 7], ['unlink', 1, 8], 'unlinked', [gone, gone]],
    [{ saml: 7 }, ['erase', 1], ['begin', 7], 'erased', [unlinked, gone]],
    [{ saml: 7 }, ['erase', 1], ['unlink', 1, 7], 'erased', [gone, gone]],
    [{}, ['erase', 1], ['link', 1, { saml: 7 }], 'erased', [gone, gone]],
  ])('of a user with %j: %j, overtaken by %j, ends as %s', async (links, deed, rival, outcome, members) => {
    const s = await scene([links])
    let isOvertaken = false
    const plan: Plan = async ({ operation, send }) => {
      if (isWrite(operation) && !isOvertaken) {
        isOvertaken = true
        await outside(() => act(s, rival))
      }
      return send()
    }
    expect((await under(plan, () => act(s, deed))).result).toBe(outcome)
    expect(await s.members()).toMatchObject(members)
  })

  test('whose answer is lost is sent again, and has one effect', async () => {
    const s = await scene([{}])
    let writes = 0
    const plan: Plan = async ({ operation, send }) => {
      const reply = await send()
      if (isWrite(operation) && ++writes === 1) throw Object.assign(new Error(), { code: 'ECONNRESET' })
      return reply
    }
    expect((await under(plan, () => s.link(1, { saml: 7 }))).result).toBe('linked')
    expect(writes).toBe(2)
    expect(await s.members()).toMatchObject([{ memberCount: 1, edges: [userId(1)] }, {}])
  })

  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'that is cancelled for %s is tried again',
    async code => {
      const s = await scene([{ saml: 7 }])
      let writes = 0
      const plan: Plan = ({ operation, send }) => {
        if (isWrite(operation) && ++writes <= 3) throw cancelled('None', code)
        return send()
      }
      expect((await under(plan, () => s.unlink(1, 7))).result).toBe('unlinked')
      expect(writes).toBe(4)
    },
  )

  test('that is cancelled for what will not pass ends with that', async () => {
    const s = await scene([{ saml: 7 }])
    const plan: Plan = ({ operation, send }) => {
      if (isWrite(operation)) throw cancelled('None', 'ValidationError')
      return send()
    }
    await expect(under(plan, () => s.erase(1))).rejects.toMatchObject({
      name: 'TransactionCanceledException',
    })
  })

  test.each([
    ['meets others', 'TransactionConflict'],
    ['comes too late', 'ConditionalCheckFailed'],
  ])('that always %s ends as table_busy', async (_, code) => {
    const s = await scene([{ saml: 7 }])
    const plan: Plan = ({ operation, send }) => {
      if (isWrite(operation)) throw cancelled(code)
      return send()
    }
    await expect(under(plan, () => s.erase(1))).rejects.toMatchObject({ code: 'table_busy' })
  })
})
