import { expect, test } from 'vitest'
import { Failure, reasonOf } from '../../lib/domain/failure.ts'
import { isoTime } from '../../lib/domain/iso-time.ts'
import { isUserId } from '../../lib/domain/user-id.ts'

test.each([
  ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
  ['2024-02-29T23:59:59.123456789Z', '2024-02-29T23:59:59.123Z'],
  ['2024-03-01T01:00:00+02:00', '2024-02-29T23:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
])('%s is the time %s', (stored, time) => expect(isoTime(stored)).toBe(time))

test.each([
  '2024-02-30T01:00:00+02:00',
  '2024-01-01T24:00:00.000Z',
  '2024-01-01T23:60:00.000Z',
  '2024-01-01T23:59:60.000Z',
  '2024-01-01T00:00:00+24:00',
  '+012024-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59-01:00',
  '2024-01-01T00:00:00.1234567890Z',
  '2024-01-01T00:00:00.Z',
  '2024-01-01T00:00:00',
  '2024-01-01T00:00Z',
  '2024-01-01t00:00:00z',
  '2024-01-01T00:00:00Z\n',
  ' 2024-01-01T00:00:00Z',
  undefined,
  ['2024-01-01T00:00:00.000Z'],
])('%j is not a time', stored => expect(isoTime(stored)).toBeUndefined())

test('a date is valid exactly when it exists in the calendar', () => {
  const two = (n: number) => String(n).padStart(2, '0')
  for (const year of ['0000', '1900', '2000', '2023', '2024'])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${two(month)}-${two(day)}T12:00:00.000Z`
        const date = new Date(text)
        const isDay = !Number.isNaN(date.getTime()) && date.toISOString() === text
        expect(isoTime(text)).toBe(isDay ? text : undefined)
      }
})

const id = '5a3d1c9e-7b42-4f06-9d18-c0ffee000002'
test.each([
  [id, true],
  [id.toUpperCase(), false],
  [`0${id}`, false],
  [`${id}0`, false],
  [id.replaceAll('-', ''), false],
  [id.replace('5', 'g'), false],
])('%j is the id of a user: %s', (text, expected) => expect(isUserId(text)).toBe(expected))

test.each([
  [
    'the message of its innermost cause',
    new Failure('table_busy', {}, new Error('a', { cause: new Error('b') })),
    'b',
  ],
  [
    'its code when it has no message',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['its name when it has neither', new TypeError(), 'TypeError'],
  ['the value that was thrown when it is not an Error', 'down', 'down'],
])('the reason of an error is %s', (_, error, reason) => expect(reasonOf(error)).toBe(reason))
