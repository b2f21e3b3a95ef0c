import { expect, test } from 'vitest'
import { Crash } from '../../removal/fates.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { type Links, sampleProvider, sampleUser } from '../../support/samples.ts'
import { filled, itemsOf } from '../scenario.ts'

/** So many users with these links in turn, from the n-th on. */
const usersFrom = (first: number, count: number, ...links: Links[]) =>
  Array.from({ length: count }, (_, n) => sampleUser(first + n, links[n % links.length]))

// User 2 is linked only to the sso_provider_id of provider 3, and the users of provider 4 move to the other link.
const staying = [sampleUser(1, { saml: 1 }), sampleUser(2, { sso: 30 })]
const before = [...staying, ...usersFrom(100, 60, { saml: 4 })]
const providers = [sampleProvider(2), sampleProvider(3, 30), sampleProvider(4, 40)]
const users = [
  sampleUser(3),
  sampleUser(4, { sso: 10 }),
  sampleUser(5, { saml: 2, sso: 10 }),
  // More than the maximum of one call.
  ...usersFrom(6, 30, { saml: 2 }, { saml: 3, sso: 30 }),
  ...usersFrom(100, 61, { sso: 40 }),
]
const records = [...users, ...providers]
const table = () => filled([sampleProvider(1, 10), sampleProvider(4, 40)], before)
const expected = itemsOf([sampleProvider(1, 10), ...providers], [...staying, ...users])
const update = true

/** Imports until a crash after the n-th write. @returns whether there was such a write */
async function crashAfter(n: number, work: () => Promise<unknown>): Promise<boolean> {
  let writes = 0
  const plan: Plan = async ({ operation, send }) => {
    if (writes === n) throw new Crash()
    const reply = await send()
    // A crash at a read leaves the same table as one after the write before it.
    if (/Get|Query|Scan/.test(operation) || ++writes < n) return reply
    throw new Crash()
  }
  const isCrash = (error: unknown) => {
    if (!(error instanceof Crash)) throw error
  }
  await withPlan(plan, work).catch(isCrash)
  return writes === n
}

test('the next import completes one that crashed after any write', async () => {
  let n = 1
  for (let hasCrashed = true; hasCrashed; n++) {
    const s = await table()
    hasCrashed = await crashAfter(n, () => s.import(records, { update }))
    if (hasCrashed) {
      const { faults } = await s.find()
      expect(faults.filter(({ problem }) => !/^the import of provider/.test(problem))).toEqual([])
      await s.expectMembers(`write ${n}`)
      await s.accepts(records, { update })
    }
    expect(await s.items(), `write ${n}`).toEqual(expected)
  }
  expect(n).toBeGreaterThan(6)
})

test('an import that is interrupted stops at once', async () => {
  const s = await table()
  const interruption = new AbortController()
  let calls = 0
  let transactions = 0
  const plan: Plan = ({ operation, send }) => {
    if (operation === 'TransactWriteItems' && ++transactions === 5)
      interruption.abort(new Error('interrupted'))
    if (interruption.signal.aborted) calls += 1
    return send()
  }
  const importing = withPlan(plan, () => s.import(records, { update }, interruption.signal))
  await expect(importing).rejects.toThrow('interrupted')
  expect(calls).toBe(1)
  await s.import(records, { update })
  expect(await s.items()).toEqual(expected)
})

test('two imports of one new provider end with the right table after another run at most', async () => {
  const provider = sampleProvider(7, 70)
  const both = sampleUser(1, { saml: 7 })
  const mine = [both, sampleUser(2, { saml: 7 }), sampleUser(3, { sso: 70 }), sampleUser(6, { saml: 7 })]
  const others = [both, sampleUser(4, { saml: 7 }), sampleUser(5, { sso: 70 })]
  let again = 0
  let n = 1
  for (let isOvertaken = true; isOvertaken; n++) {
    // One is updated to the provider.
    const s = await filled([], [sampleUser(6)])
    let calls = 0
    const plan: Plan = async ({ operation, send }) => {
      // The scan reads the same at each of its calls.
      if (operation !== 'Scan' && ++calls === n) await withoutPlan(() => s.accepts([provider, ...others]))
      return send()
    }
    await withPlan(plan, () => s.import([provider, ...mine], { update })).catch(error => {
      expect(error.message).toMatch(/another writer has changed the provider 7 meanwhile: import again/)
      again += 1
    })
    isOvertaken = calls >= n
    if (!isOvertaken) break
    await s.accepts([provider, ...mine], { update })
    await s.has([provider], [...mine, ...others.slice(1)])
  }
  expect(n).toBeGreaterThan(6)
  expect(again).toBeGreaterThan(0)
})
