import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idSet } from '../../infra/data/id-set.ts'
import { userId } from '../support/samples.ts'

test('a set of ids contains the added ids', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.uuid(), fc.nat(9).map(userId)), { maxLength: 40 }), ids => {
      const [actual, expected] = [idSet(), new Set<string>()]
      for (const id of ids) {
        expect(actual.add(id)).toBe(!expected.has(id))
        expected.add(id)
      }
    }),
  )
})

test('a set of ids grows with random and ascending ids, and accepts the nil UUID', () => {
  const ids = idSet()
  const some = Array.from({ length: 20_000 }, (_, n) => (n % 2 === 0 ? userId(n) : crypto.randomUUID()))
  const nil = '00000000-0000-0000-0000-000000000000'
  const one = nil.replace(/.$/, '1')
  expect([nil, one, ...some].filter(id => !ids.add(id))).toEqual([])
  expect([nil, one, ...some].filter(id => ids.add(id))).toEqual([])
})
