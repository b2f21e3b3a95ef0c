import fc from 'fast-check'
import * as fields from '../../lib/domain/fields.ts'
import { sampleUser } from '../support/samples.ts'

/** Arbitrary resources of the shape. */
export function arbitraryOf(shape: object): fc.Arbitrary<unknown> {
  return fc.record(
    Object.fromEntries(
      Object.entries(shape).map(([name, field]) => [
        name,
        arbitraryField(name, field as fields.Field<unknown>),
      ]),
    ),
  )
}

function arbitraryField(name: string, field: fields.Field<unknown>): fc.Arbitrary<unknown> {
  const time = fc
    .date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
    .map(date => date.toISOString())
  const orAbsent = (value: Record<string, fc.Arbitrary<unknown>>, absent: object) =>
    fc.oneof(fc.record({ ...value, valid: fc.constant(true) }), fc.constant({ ...absent, valid: false }))
  switch (field) {
    case fields.text:
      return fc.string({ unit: fc.constantFrom(...'a "\\\n\0é\u2028\uffff😀') })
    case fields.flag:
      return fc.boolean()
    case fields.integer:
      return fc.maxSafeInteger()
    case fields.timestamp:
      return fc.oneof(time, fc.constant('0001-01-01T00:00:00Z'))
    case fields.nullableTime:
      return orAbsent({ time }, { time: '0001-01-01T00:00:00Z' })
    case fields.nullableInt32:
      return orAbsent({ int32: fc.integer() }, { int32: 0 })
    case fields.nullableString:
      return orAbsent({ string: fc.string() }, { string: '' })
    case fields.texts:
      return fc.array(fc.string())
  }
  const sample = (sampleUser(1) as unknown as Record<string, unknown>)[name]
  return fc.constantFrom(sample, Array.isArray(sample) ? [] : undefined)
}
