import { expect, test } from 'vitest'
import { Failure, reasonOf } from '../../lib/domain/failure.ts'
import { isoTime } from '../../lib/domain/iso-time.ts'
import { isLinked, parseProviderId } from '../../lib/domain/provider.ts'
import { isUserId } from '../../lib/domain/user-id.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'

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

test.each([
  [{ saml: 7 }, undefined, true],
  [{ saml: 8, sso: 70 }, 70, true],
  [{ saml: 7, sso: 80 }, 70, true],
  [{}, undefined, false],
  [{}, 0, false],
  [{ saml: 8, sso: 80 }, 70, false],
  [{ saml: 70, sso: 7 }, 70, false],
  [{ sso: 0 }, undefined, false],
])('a user linked by %j is linked to provider 7 of SSO provider %s: %s', (links, sso, linked) => {
  expect(isLinked(sampleUser(1, links), sampleProvider(7, sso))).toBe(linked)
})

test.each(['1', '10', '2147483647'])('%s is the id of a provider', text =>
  expect(parseProviderId(text)).toBe(Number(text)),
)

const notIds = ['', '0', '07', '-7', '+7', '7.0', '7e1', '0x7', ' 7', '7\n', '٧', '2147483648', '21474836470']
test.each(notIds)('%j is not the id of a provider', text => expect(parseProviderId(text)).toBeUndefined())

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
