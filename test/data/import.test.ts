import fc from 'fast-check'
import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import { zeroTime } from '../../lib/domain/iso-time.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import type { Item } from '../../lib/store/items.ts'
import { arbitraryOf } from '../domain/arbitrary-resource.ts'
import { temporaryFile } from '../support/machine.ts'
import { int32, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { outputOf, type Plan, replyOf, withPlan } from '../support/test-client.ts'
import { file, providers, users } from './import-fixtures.ts'
import { ndjson, scenario } from './scenario.ts'

/** Lets a scan read one item a page. */
const inSmallPages: Plan = ({ operation, body, send }) => {
  if (operation !== 'Scan') return send()
  expect(body.ConsistentRead).toBe(true)
  return send({ ...body, Limit: 1 })
}

test('an import and the export of its table keep all that the API can show', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryOf(samlProviderShape), fc.array(arbitraryOf(userShape)), async (one, some) => {
      const own = { id: 7, deleted_at: { time: zeroTime, valid: false } }
      const provider = { ...(one as SamlProvider), ...own }
      const users = some.map(
        (any, n): User => ({ ...(any as User), id: userId(n), saml_provider_id: int32(7) }),
      )
      const s = await scenario()
      expect(await s.import(temporaryFile(ndjson(...users, provider)))).toEqual([])
      await s.has([provider], users)
      expect(await s.find()).toEqual([])
      const other = await scenario()
      expect(await other.import(await withPlan(inSmallPages, s.export))).toEqual([])
      await other.has([provider], users)
    }),
    { numRuns: process.env.TEST_FULL ? 200 : 10, endOnFailure: true },
  )
})

test('an import goes on when DynamoDB throttles it or leaves items unprocessed', async () => {
  const s = await scenario()
  const plan: Plan = async ({ n, operation, body, send }) => {
    if (operation !== 'BatchWriteItem') return send()
    if (n % 3 === 0)
      return replyOf({ __type: 'x#ProvisionedThroughputExceededException', message: 'slow' }, 400)
    const [[name, all] = ['', []]] = Object.entries(body.RequestItems as Record<string, object[]>)
    const [taken, left] = [all.slice(0, 5), all.slice(5)]
    const reply = await send({ RequestItems: { [name]: taken } })
    return left.length === 0 ? reply : replyOf({ ...outputOf(reply), UnprocessedItems: { [name]: left } })
  }
  expect(await withPlan(plan, () => s.import(file()))).toEqual([])
  await s.has(providers, users)
})

test.each<[string, Item]>([
  ['a provider in any state', { ...providerItem(sampleProvider(9), 0), state: 'odd' }],
  ['a user', userItem(sampleUser(1))],
  ['a membership', membershipItem(9, userId(1))],
  ['what a removal has left', { ...membershipItem(9, userId(1)), expires_at: 1 }],
])('an import refuses a table with %s', async (_, item) => {
  const s = await scenario()
  await s.put(item)
  await expect(s.import(file())).rejects.toThrow('has items of this service')
  expect(await s.items()).toEqual([item])
})
