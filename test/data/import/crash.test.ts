import { expect, test } from 'vitest'
import { absentProviderRule } from '../../../infra/data/verify/provider-rules.ts'
import { crashAt } from '../../removal/fates.ts'
import { Crash, type Plan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'

/** Stored before the import: provider 1 with a user, and a user linked only to the SSO provider of provider 3. */
const stored = {
  provider: sampleProvider(1, 10),
  users: [sampleUser(1, { saml: 1 }), sampleUser(2, { sso: 30 })],
}
const providers = [sampleProvider(2), sampleProvider(3, 30)]
const users = [
  sampleUser(3),
  sampleUser(4, { sso: 10 }),
  sampleUser(5, { saml: 2, sso: 10 }),
  // More than the maximum of one call.
  ...Array.from({ length: 30 }, (_, n) =>
    sampleUser(n + 6, n % 2 === 0 ? { saml: 2 } : { saml: 3, sso: 30 }),
  ),
]
const records = ndjson(...users, ...providers)
const expected = itemsOf([stored.provider, ...providers], [...stored.users, ...users])

/** A crash at a read leaves the same table as one after the write before it. */
function crashAtWrite(n: number, crash: Parameters<typeof crashAt>[1]) {
  const { plan, happened } = crashAt(n, crash)
  let writes = 0
  const isRead = (operation: string) => /Get|Query|Scan/.test(operation)
  const atWrites: Plan = call =>
    isRead(call.operation) && !happened() ? call.send() : plan({ ...call, n: ++writes })
  return { plan: atWrites, happened }
}

const moments = ['crashes after it', 'crashes before it'] as const
// A crash before a write is one after the write before it, unless several are sent at once.
test.each(moments.slice(0, process.env.TEST_FULL ? 2 : 1))(
  'an import that at any write %s leaves nothing else to verify than that it was interrupted, and the next one completes it',
  async crash => {
    let crashes = 0
    for (let call = 1, hasCrashed = true; hasCrashed; call++) {
      const s = await scenario()
      await s.put(...itemsOf([stored.provider], stored.users))
      const { plan, happened } = crashAtWrite(call, crash)
      await withPlan(plan, () => s.import(records)).catch(error => {
        if (!(error instanceof Crash)) throw error
      })
      hasCrashed = happened()
      if (hasCrashed) {
        crashes += 1
        const { faults } = await s.find()
        expect(faults.filter(({ rule }) => rule.wrong !== absentProviderRule.wrong)).toEqual([])
        expect((await s.import(records)).faults, `write ${call}`).toEqual([])
      }
      expect(await s.items(), `write ${call}`).toEqual(expected)
    }
    expect(crashes).toBeGreaterThan(5)
  },
)
