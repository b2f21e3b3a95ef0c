import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { providerItem, userItem } from '../../infra/data/table/encoding.ts'
import * as fields from '../../lib/domain/fields.ts'
import { samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { boundaryValues, sampleProvider, sampleUser } from '../support/samples.ts'

const { decode } = fields

/** The field names of the document's tables, in order. */
const document = {
  user: 'id created_at updated_at deleted_at saml_provider_id sso_provider_id AuthSecret roles first_name last_name email_address principal_name last_login is_disabled eula_accepted all_environments environment_targeted_access_control',
  AuthSecret: 'id created_at updated_at deleted_at digest_method expires_at totp_activated',
  role: 'id created_at updated_at deleted_at name description permissions',
  permission: 'id created_at updated_at deleted_at authority name',
  environmentAccess: 'user_id environment_id',
  samlProvider:
    'id created_at updated_at deleted_at name display_name idp_issuer_uri idp_sso_uri principal_attribute_mappings sp_issuer_uri sp_sso_uri sp_metadata_uri sp_acs_uri sso_provider_id',
}

const user = decode(userShape, userItem(sampleUser(1))) as User
test.each([
  ['User', user, document.user],
  ['AuthSecret', user.AuthSecret, document.AuthSecret],
  ['Role', user.roles[0], document.role],
  ['Permission', user.roles[0]?.permissions[0], document.permission],
  ['EnvironmentAccess', user.environment_targeted_access_control[0], document.environmentAccess],
  ['SAML provider', decode(samlProviderShape, providerItem(sampleProvider(1), 0)), document.samlProvider],
])('%s is shown with exactly the documented fields, in order', (_, shown, names) =>
  expect(Object.keys(shown as object).join(' '), 'list the field above, as the document has it').toBe(names),
)

test('an empty item is shown without a secret, and with every other field at its zero value', () => {
  const none = { time: '0001-01-01T00:00:00Z', valid: false }
  expect(JSON.stringify(decode(userShape, {})), 'list the zero value of each field below').toBe(
    JSON.stringify({
      id: '',
      created_at: none.time,
      updated_at: none.time,
      deleted_at: none,
      saml_provider_id: { int32: 0, valid: false },
      sso_provider_id: { int32: 0, valid: false },
      roles: [],
      first_name: { string: '', valid: false },
      last_name: { string: '', valid: false },
      email_address: { string: '', valid: false },
      principal_name: '',
      last_login: none.time,
      is_disabled: false,
      eula_accepted: false,
      all_environments: false,
      environment_targeted_access_control: [],
    }),
  )
  expect(decode(samlProviderShape, {}).principal_attribute_mappings).toEqual([])
})

test('what no field names is shown nowhere, not even from a prototype', () => {
  // The SDK makes a stored member named __proto__ the prototype of its map.
  const prototype = { deleted_at: '2024-03-03T00:00:00.000Z', last_name: 'Other', sso_provider_id: 9 }
  const withMore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withMore)
    if (typeof value !== 'object' || value === null) return value
    const known = Object.entries(value).map(([name, inner]) => [name, withMore(inner)])
    const unknown = { password_hash: 'secret', string: 'secret', valid: true, toString: 'secret' }
    return Object.assign(Object.create(prototype), Object.fromEntries(known), unknown)
  }
  const item = userItem(sampleUser(1))
  const stored = withMore(item) as typeof item
  expect(JSON.stringify(decode(userShape, stored))).toBe(JSON.stringify(decode(userShape, item)))
})

test.each(boundaryValues)('%s in every attribute leaves every field its type', (_, value) => {
  const stored = Object.fromEntries(Object.keys(userShape).map(name => [name, value]))
  const {
    AuthSecret,
    roles,
    environment_targeted_access_control: access,
    ...shown
  } = decode(userShape, stored)
  expect([AuthSecret, roles, access]).toEqual([undefined, [], []])
  expect(typesIn(decode(userShape, {}))).toMatchObject(typesIn(shown))
})

/** The types of the members of an object, and of those in them. */
const typesIn = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'object' && inner !== null ? typesIn(inner) : typeof inner,
    ]),
  )

test('an absent value is not stored', () => {
  const stored = userItem({ ...sampleUser(1), AuthSecret: undefined, last_login: '0001-01-01T00:00:00Z' })
  const absent = [
    'deleted_at',
    'saml_provider_id',
    'sso_provider_id',
    'last_name',
    'AuthSecret',
    'last_login',
  ]
  for (const name of absent) expect(stored).not.toHaveProperty(name)
})

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
] as [string, fields.Field<unknown>, unknown, unknown][])('a field decodes %s', (_, field, stored, shown) => {
  expect(field.decode(stored)).toEqual(shown)
})

const { AuthSecret, roles, environment_targeted_access_control: access } = sampleUser(1)
const { roles: stored } = userItem(sampleUser(1)) as { roles: object[] }
const [role] = stored as [Record<string, unknown>]
const [entry] = access

const notMaps = ['text', null, ['list'], new Set([1]), new Uint8Array(2), new NumberValue('1.5')]
const others = [{}, { ...AuthSecret, id: '1' }, { ...AuthSecret, id: 1.5 }, { user_id: 'u' }]
test.each([...notMaps, ...others, { environment_id: 'e' }].map(value => [value]))(
  'a nested map is omitted when it is not a map, or lacks what identifies it: %o',
  other => {
    const shown = decode(userShape, {
      AuthSecret: other,
      roles: [other, role, { ...role, permissions: [other] }],
      environment_targeted_access_control: [other, entry],
    })
    expect(shown.AuthSecret).toBeUndefined()
    expect(shown.roles).toEqual([...roles, { ...roles[0], permissions: [] }])
    expect(shown.environment_targeted_access_control).toEqual(access)
  },
)

test('a nested map has the zero values of its other malformed fields', () => {
  const shown = decode(userShape, { roles: [{ id: 5, name: 7, created_at: 'now', permissions: 'all' }] })
  expect(shown.roles).toEqual([
    { ...decode(userShape, { roles: [{ id: 5 }] }).roles[0], id: 5, name: '', permissions: [] },
  ])
})
