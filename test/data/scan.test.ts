import { expect, test } from 'vitest'
import { scanTable } from '../../infra/data/scan.ts'
import type { Item } from '../../lib/store/items.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import { inOrder } from '../support/put-items.ts'
import { sampleProvider, sampleUsers } from '../support/samples.ts'
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
