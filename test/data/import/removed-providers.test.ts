import { expect, test } from 'vitest'
import { userKey } from '../../../lib/store/keys.ts'
import { withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'

const update = true

test('an import leaves out a provider that was removed or is in removal, and links to it', async () => {
  const providers = [sampleProvider(7, 70), sampleProvider(8, 80)]
  const tombstones = itemsOf(providers, []).map((item, n) => ({ ...item, state: ['removing', 'removed'][n] }))
  const s = await scenario()
  await s.put(...tombstones)
  const links = [{ saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8 }, { sso: 80 }]
  const users = links.map((one, n) => sampleUser(n, one))
  const records = ndjson(sampleProvider(7, 70), sampleProvider(8, 81), ...users)
  for (const update of [false, true, true]) {
    const { told, counts, movesOf } = await s.import(records, { update })
    expect(told).toEqual([])
    expect(counts.providers).toMatchObject({ leftOut: 2 })
    expect([7, 8].map(id => movesOf.get(id)?.leftOut)).toEqual([3, 2])
  }
  expect(await s.items()).toEqual([...tombstones, ...itemsOf([], sampleUsers(users.length))])
})

test('an import keeps a link by an sso_provider_id that an active provider has, too', async () => {
  const users = sampleUsers(3, { sso: 70 })
  const s = await filled([sampleProvider(8, 70)], users)
  const [removed] = itemsOf([sampleProvider(7, 70)], [])
  await s.put({ ...removed, state: 'removed' })
  const before = await s.items()
  expect((await s.import(ndjson(...users), { update })).counts.users).toMatchObject({ there: 3 })
  expect(await s.items()).toEqual(before)
})

test('an import leaves out a link to a provider whose removal begins meanwhile', async () => {
  const s = await filled([sampleProvider(7)], [])
  const { result } = await withPlan(s.removalOf(7), () => s.import(ndjson(sampleUser(1, { saml: 7 }))))
  expect(result.told).toEqual([])
  expect(await s.data.table.get(userKey(userId(1)), never)).not.toHaveProperty('saml_provider_id')
})
