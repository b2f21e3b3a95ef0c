import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime } from '../../lib/domain/iso-time.ts'

test.each([
  ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
  ['2024-02-29T23:59:59.1Z', '2024-02-29T23:59:59.100Z'],
  ['2024-02-29T23:59:59.123456789Z', '2024-02-29T23:59:59.123Z'],
  ['2024-03-01T01:00:00+02:00', '2024-02-29T23:00:00.000Z'],
  ['2000-02-29T00:00:00.000Z', '2000-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is the time %s', (stored, time) => expect(isoTime(stored)).toBe(time))

test.each([
  ['2024-02-30T00:00:00.000Z'],
  ['2023-02-29T00:00:00.000Z'],
  ['1900-02-29T00:00:00.000Z'],
  ['2024-04-31T00:00:00Z'],
  ['2024-02-30T01:00:00+02:00'],
  ['2024-13-01T00:00:00.000Z'],
  ['2024-00-01T00:00:00.000Z'],
  ['2024-01-00T00:00:00.000Z'],
  ['2024-01-01T24:00:00.000Z'],
  ['2024-01-01T23:60:00.000Z'],
  ['2024-01-01T23:59:60.000Z'],
  ['2024-01-01T00:00:00+24:00'],
  ['+012024-01-01T00:00:00.000Z'],
  ['-000001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59-01:00'],
  ['0000-01-01T00:00:00+01:00'],
  ['2024-01-01T00:00:00.1234567890Z'],
  ['2024-01-01T00:00:00.Z'],
  ['2024-01-01T00:00:00'],
  ['2024-01-01T00:00Z'],
  ['2024-01-01'],
  ['2024-01-01 00:00:00Z'],
  ['2024-01-01t00:00:00z'],
  ['2024-01-01T00:00:00Z\n'],
  [' 2024-01-01T00:00:00Z'],
  ['Mon, 01 Jan 2024 00:00:00 GMT'],
  ['1'],
  ['0'],
  [''],
  [1_704_067_200_000],
  [null],
  [undefined],
  [{}],
])('%j is not a time', stored => expect(isoTime(stored)).toBeUndefined())

test('every time of toISOString with a four-digit year is unchanged', () => {
  const dates = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(dates, date => {
      expect(isoTime(date.toISOString())).toBe(date.toISOString())
    }),
  )
})

test('a date is valid exactly when it exists in the calendar', () => {
  const two = (max: number) => fc.integer({ min: 0, max }).map(n => String(n).padStart(2, '0'))
  const year = fc.integer({ min: 0, max: 9999 }).map(n => String(n).padStart(4, '0'))
  fc.assert(
    fc.property(year, two(13), two(32), (y, m, d) => {
      const text = `${y}-${m}-${d}T12:00:00.000Z`
      const date = new Date(text)
      const isDay = !Number.isNaN(date.getTime()) && date.toISOString() === text
      expect(isoTime(text)).toBe(isDay ? text : undefined)
    }),
  )
})
