import fc from 'fast-check'
import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { zeroTime } from '../../lib/domain/iso-time.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import type { Item } from '../../lib/store/items.ts'
import { arbitraryOf } from '../domain/arbitrary-resource.ts'
import { temporaryFile } from '../support/machine.ts'
import { int32, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { type Plan, replyOf, withPlan } from '../support/test-client.ts'
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

test('an import writes users who are too large to be in one transaction', async () => {
  const s = await scenario()
  const large = users.slice(0, 12).map(user => ({ ...user, principal_name: 'x'.repeat(390_000) }))
  expect(await s.import(temporaryFile(ndjson(...large, ...providers)))).toEqual([])
  await s.has(providers, large)
})

test('an import fails when DynamoDB refuses users for another reason than a condition', async () => {
  const s = await scenario()
  const refused: Plan = ({ operation, send }) =>
    operation === 'TransactWriteItems'
      ? Promise.resolve(replyOf({ __type: 'x#ValidationException', message: 'too large' }, 400))
      : send()
  await expect(withPlan(refused, () => s.import(file()))).rejects.toThrow('too large')
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
