import { expect, test } from 'vitest'
import { absentProviderRule } from '../../../infra/data/verify/provider-rules.ts'
import type { Findings } from '../../../infra/data/verify/find-faults.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'

const providers = [sampleProvider(7, 70), sampleProvider(8, 80)]
const users = Array.from({ length: 60 }, (_, n) =>
  sampleUser(n, [{ saml: 7 }, { sso: 70 }, { saml: 7, sso: 80 }, { sso: 99 }][n % 4]),
)

test('after every write of an import, verify says that it runs, and has nothing to repair', async () => {
  const s = await scenario()
  const seen: Findings[] = []
  const plan: Plan = async ({ operation, send }) => {
    const reply = await send()
    if (/Write|Execute/.test(operation))
      await withoutPlan(async () => seen.push(await s.clock.thaw(() => s.find())))
    return reply
  }
  await withPlan(plan, () => s.import(ndjson(...providers, ...users)))
  expect(await s.items()).toEqual(itemsOf(providers, users))
  const faults = seen.flatMap(findings => findings.faults)
  expect(faults.filter(({ rule, repair }) => rule !== absentProviderRule || repair !== undefined)).toEqual([])
  expect(faults.map(({ problem }) => problem)).toContainEqual(
    'there is no such provider, but 45 users are linked to it: an import of provider 7 was interrupted or still runs: run the same import again',
  )
})
