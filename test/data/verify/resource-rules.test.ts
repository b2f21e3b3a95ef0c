import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Notes, readShape } from '../../../infra/data/records/read.ts'
import { resourceFaults } from '../../../infra/data/verify/resource-rules.ts'
import { decode } from '../../../lib/domain/fields.ts'
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

/** Whether the service shows each field as an import reads it. */
function isShownAsRead(item: Item): boolean {
  const notes: Notes = { faults: [], unknown: new Set() }
  // A map without any field of a secret, the empty one as well, is what others keep there: no secret.
  const { AuthSecret, ...others } = item
  const stored = isDeepStrictEqual(AuthSecret, {}) ? { ...others, id } : { ...item, id }
  const resource = readShape(userShape, stored, notes)
  return notes.faults.length === 0 && isDeepStrictEqual(resource, decode(userShape, stored))
}

test('an item has a fault exactly when the service shows one of its fields otherwise than an import reads it', () => {
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 6 })
  let faulty = 0
  fc.assert(
    fc.property(users, places, values, (user, at, value) => {
      const item = mutated(user, at, value) as Item
      const faults = resourceFaults(userShape, item, id)
      expect(faults.length === 0).toBe(isShownAsRead(item))
      faulty += faults.length
    }),
    { numRuns: 2000 },
  )
  expect(faulty).toBeGreaterThan(200)
})
