import { marshall } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attributesOf, itemOf } from '../../lib/store/attribute-values.ts'
import { boundaryValues } from '../support/boundary-values.ts'

const exact = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0.5, -1.25, 1e-7, 0))
const { item } = fc.letrec<{ item: Record<string, unknown>; value: unknown }>(tie => ({
  item: fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 5, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    exact,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('item'),
  ),
}))
// `__proto__` is not a plain property in JavaScript, and the SDK refuses a map with `constructor`.
const plain = item.filter(value => !/"(__proto__|constructor)":/.test(JSON.stringify(value)))

describe('an item', () => {
  test('is encoded as by the SDK, and decoded to the same item', () => {
    fc.assert(
      fc.property(plain, value => {
        const stored = marshall(value)
        expect(attributesOf(value)).toEqual(stored)
        expect(itemOf(stored)).toStrictEqual(value)
      }),
    )
  })

  test.each(boundaryValues)('with %s is encoded as it was decoded', (_, value) => {
    const stored = marshall({ value, list: [value], map: { value } })
    expect(attributesOf(itemOf(stored))).toEqual(stored)
  })

  test('with an attribute named __proto__ has no attribute of that map, and is encoded as it was decoded', () => {
    const stored = JSON.parse('{"__proto__":{"M":{"state":{"S":"active"}}},"SK":{"S":"x"}}')
    const item = itemOf(stored)
    expect(item.state).toBeUndefined()
    expect(Object.entries(attributesOf(item))).toEqual(Object.entries(stored))
  })

  test('is encoded without undefined members', () => {
    expect(attributesOf({ a: undefined, b: { c: undefined } })).toEqual({ b: { M: {} } })
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, Symbol('x'), () => {}])(
    'with %s is refused',
    value => expect(() => attributesOf({ value })).toThrow(TypeError),
  )
})
