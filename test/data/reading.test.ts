import { expect, test } from 'vitest'
import { viewOf } from '../../infra/data/table/linked-providers.ts'
import { progressOn } from '../../infra/data/progress.ts'
import { scanTable } from '../../infra/data/table/scan.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import type { Item } from '../../lib/store/items.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { inOrder } from '../support/put-items.ts'
import { int32, type Links, sampleProvider, sampleUsers } from '../support/samples.ts'
import { itemsOf, never, scenario } from './scenario.ts'

test('a scan reads each item once, in pages of any size, strongly consistent', async () => {
  const s = await scenario()
  const all = itemsOf([sampleProvider(7)], sampleUsers(30, { saml: 7 }))
  await s.put(...all)
  const isConsistent = new Set<unknown>()
  const oneItemAPage: Plan = async ({ body, send }) => {
    isConsistent.add(body.ConsistentRead)
    return send({ ...body, Limit: 1 })
  }
  const read: Item[] = []
  await withPlan(oneItemAPage, () => scanTable(s.data, items => void read.push(...items), never))
  expect(inOrder(read)).toEqual(all)
  expect([...isConsistent]).toEqual([true])
})

test('a phase prints its progress every ten seconds until it ends', async () => {
  const clock = fakeClock()
  const lines: string[] = []
  const phase = progressOn(line => lines.push(line), clock)
  await phase('items', async advance => {
    advance(3)
    clock.advance(9999)
    expect(lines).toEqual([])
    clock.advance(1)
    advance(4)
    clock.advance(10_000)
  })
  const failing = phase('users', async () => {
    throw new Error('no users')
  })
  await expect(failing).rejects.toThrow('no users')
  clock.advance(60_000)
  expect(clock.scheduled()).toBe(0)
  expect(lines).toEqual(['items: 3', 'items: 7'])
})

const providers = [sampleProvider(7, 70), sampleProvider(8, 80), sampleProvider(9, 80)].map(
  (resource): ProviderRecord => ({ resource, state: 'active', memberCount: 0, removal: undefined }),
)

test.each<[Links, number[]]>([
  [{ saml: 7, sso: 80 }, [7, 8, 9]],
  [{ sso: 80 }, [8, 9]],
  [{ saml: 9, sso: 80 }, [8, 9]],
  [{ saml: 6, sso: 60 }, []],
])('the links %j lead to the providers %j, to each once', ({ saml, sso }, ids) => {
  const found = viewOf(providers).linkedTo({ saml_provider_id: int32(saml), sso_provider_id: int32(sso) })
  expect(found.map(({ resource }) => resource.id).sort()).toEqual(ids)
})
