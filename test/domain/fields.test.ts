import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { describe, expect, test } from 'vitest'
import * as fields from '../../lib/domain/fields.ts'
import { userShape } from '../../lib/domain/resources.ts'
import { sampleUser } from '../support/samples.ts'

const { decode, encode } = fields

describe('a field', () => {
  const zero = '0001-01-01T00:00:00Z'
  const noTime = { time: zero, valid: false }
  const noInt32 = { int32: 0, valid: false }
  test.each([
    ['a time in canonical form', fields.timestamp, '2024-03-01T01:00:00+02:00', '2024-02-29T23:00:00.000Z'],
    ['what is not a time as absent', fields.timestamp, '2024-02-30T00:00:00.000Z', zero],
    [
      'a stored zero time of another form as absent',
      fields.nullableTime,
      '0001-01-01T01:00:00.0+01:00',
      noTime,
    ],
    ['the largest int32', fields.nullableInt32, 2 ** 31 - 1, { int32: 2 ** 31 - 1, valid: true }],
    ['the largest int32 plus one as absent', fields.nullableInt32, 2 ** 31, noInt32],
    ['the smallest int32', fields.nullableInt32, -(2 ** 31), { int32: -(2 ** 31), valid: true }],
    ['a fraction as absent', fields.nullableInt32, 1.5, noInt32],
    ['a zero int32 as a value', fields.nullableInt32, 0, { int32: 0, valid: true }],
    ['an empty string as a value', fields.nullableString, '', { string: '', valid: true }],
    ['a set of texts as an empty array', fields.texts, new Set(['a']), []],
    ['only the strings of a list', fields.texts, ['a', 1, null, ['b'], ''], ['a', '']],
    ['what is not a boolean as false', fields.flag, 'true', false],
    ['an integer', fields.integer, 2 ** 53 - 1, 2 ** 53 - 1],
  ] as [string, fields.Field<unknown>, unknown, unknown][])('decodes %s', (_, field, stored, shown) => {
    expect(field.decode(stored)).toEqual(shown)
  })
})

describe('a nested map', () => {
  const { AuthSecret, roles, environment_targeted_access_control: access } = sampleUser(1)
  const { roles: stored } = encode(userShape, sampleUser(1)) as { roles: object[] }
  const [role] = stored as [Record<string, unknown>]
  const [entry] = access

  const notMaps = ['text', null, ['list'], new Set([1]), new Uint8Array(2), new NumberValue('1.5')]
  const others = [{}, { ...AuthSecret, id: '1' }, { ...AuthSecret, id: 1.5 }, { user_id: 'u' }]
  test.each([...notMaps, ...others, { environment_id: 'e' }].map(value => [value]))(
    'is omitted when it is not a map, or lacks what identifies it: %o',
    one => {
      const shown = decode(userShape, {
        AuthSecret: one,
        roles: [one, role, { ...role, permissions: [one] }],
        environment_targeted_access_control: [one, entry],
      })
      expect(shown.AuthSecret).toBeNull()
      expect(shown.roles).toEqual([...roles, { ...roles[0], permissions: [] }])
      expect(shown.environment_targeted_access_control).toEqual(access)
    },
  )

  test('has the zero values of its other malformed fields', () => {
    const shown = decode(userShape, { roles: [{ id: 5, name: 7, created_at: 'now', permissions: 'all' }] })
    expect(shown.roles).toEqual([
      { ...decode(userShape, { roles: [{ id: 5 }] }).roles[0], id: 5, name: '', permissions: [] },
    ])
  })
})
