import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Notes, readShape } from '../../../infra/data/records/read.ts'
import { resourceFaults } from '../../../infra/data/verify/resource-rules.ts'
import { encode, type Field } from '../../../lib/domain/fields.ts'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { type User, userShape } from '../../../lib/domain/resources.ts'
import { type Item, userItem } from '../../../lib/store/items.ts'
import { arbitraryOf } from '../../domain/arbitrary-resource.ts'

const id = '00000000-0000-4000-8000-000000000001'
const users = arbitraryOf(userShape).map(user => userItem({ ...(user as User), id }))
const values = fc.oneof(
  fc.constantFrom(undefined, null, 0, 1.5, 2 ** 31, true, false, '', [], {}),
  fc.constantFrom('0001-01-01T00:00:00.000Z', '2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'),
  fc.string(),
)

/** Replaces one value at any depth, adds one, or removes one (`undefined`). */
function mutated(stored: unknown, at: number[], value: unknown): unknown {
  if (typeof stored !== 'object' || stored === null || at.length === 0) return value
  const [place = 0, ...deeper] = at
  const copy = structuredClone(stored) as Item
  const names = [...Object.keys(copy), ...(Array.isArray(copy) ? [String(copy.length)] : ['another'])]
  const name = names[place % names.length] as string
  copy[name] = mutated(copy[name], deeper, value)
  // An item has no undefined values.
  return JSON.parse(JSON.stringify(copy))
}

/** A value with only the fields of the shape, nested ones too. */
function owned(shape: object, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(one => owned(shape, one))
  if (!isJsonObject(value)) return value
  const fields = Object.entries(shape as Record<string, Field<unknown>>)
  const members = fields.map(([name, { nested }]) => [
    name,
    nested ? owned(nested.shape, value[name]) : value[name],
  ])
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

/** Whether reading the fields as an import does, and writing them again, changes nothing. */
function isUnchanged(item: Item): boolean {
  const notes: Notes = { faults: [], unknown: new Set(), dialects: new Set() }
  const resource = readShape(userShape, item, notes)
  if (notes.faults.length > 0 || item.id !== id) return false
  return isDeepStrictEqual(encode(userShape, resource as never), owned(userShape, item))
}

test('an item has a fault exactly when the service would write one of its fields otherwise', () => {
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 6 })
  let faulty = 0
  fc.assert(
    fc.property(users, places, values, (user, at, value) => {
      const item = mutated(user, at, value) as Item
      const faults = resourceFaults(userShape, item, id)
      expect(faults.length === 0).toBe(isUnchanged(item))
      faulty += faults.length
    }),
    { numRuns: 2000 },
  )
  expect(faulty).toBeGreaterThan(200)
})
