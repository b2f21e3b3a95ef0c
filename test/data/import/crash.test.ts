import { expect, test } from 'vitest'
import { isListed } from '../../../lib/domain/provider.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { Crash } from '../../removal/fates.ts'
import { type Plan, withPlan } from '../../support/test-client.ts'
import { type Links, sampleProvider, sampleUser } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never } from '../scenario.ts'

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
const records = ndjson(...users, ...providers)
const table = () => filled([sampleProvider(1, 10), sampleProvider(4, 40)], before)
const expected = itemsOf([sampleProvider(1, 10), ...providers], [...staying, ...users])
const update = true

test('after a crash at any write, verify says only that an import was interrupted, and the next one completes it', async () => {
  let crashes = 0
  for (let at = 1, hasCrashed = true; hasCrashed; at++) {
    const s = await table()
    let writes = 0
    hasCrashed = false
    const plan: Plan = async ({ operation, send }) => {
      if (hasCrashed) throw new Crash()
      const reply = await send()
      // A crash at a read leaves the same table as one after the write before it.
      if (/Get|Query|Scan/.test(operation) || ++writes < at) return reply
      hasCrashed = true
      throw new Crash()
    }
    await withPlan(plan, () => s.import(records, { update })).catch(error => {
      if (!(error instanceof Crash)) throw error
    })
    if (hasCrashed) {
      crashes += 1
      const { faults } = await s.find()
      const now = await s.items()
      expect(faults.filter(({ problem }) => !/^the import of provider/.test(problem))).toEqual([])
      for (const { resource, memberCount } of (await allProviders(s.data.table, never)).filter(isListed))
        expect(memberCount).toBe(now.filter(({ PK }) => PK === `SAML_PROVIDER#${resource.id}`).length)
      expect((await s.import(records, { update })).told, `write ${at}`).toEqual([])
    }
    expect(await s.items(), `write ${at}`).toEqual(expected)
  }
  expect(crashes).toBeGreaterThan(5)
})

test('an import that is interrupted stops at once, and the next one completes it', async () => {
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
