import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../lib/domain/fields.ts'
import { samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { boundaryValues } from '../support/boundary-values.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'

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

describe('the representation of a resource', () => {
  const user = decode(userShape, encode(userShape, sampleUser(1))) as User
  test.each([
    ['User', user, document.user],
    ['AuthSecret', user.AuthSecret, document.AuthSecret],
    ['Role', user.roles[0], document.role],
    ['Permission', user.roles[0]?.permissions[0], document.permission],
    ['EnvironmentAccess', user.environment_targeted_access_control[0], document.environmentAccess],
    [
      'SAML provider',
      decode(samlProviderShape, encode(samlProviderShape, sampleProvider(1))),
      document.samlProvider,
    ],
  ])('%s has exactly the documented fields, in order', (_, shown, names) =>
    expect(Object.keys(shown as object).join(' '), 'list the field above, as the document has it').toBe(
      names,
    ),
  )

  test('an empty item has every field at its zero value', () => {
    const none = { time: '0001-01-01T00:00:00Z', valid: false }
    expect(JSON.stringify(decode(userShape, {})), 'list the zero value of each field below').toBe(
      JSON.stringify({
        id: '',
        created_at: none.time,
        updated_at: none.time,
        deleted_at: none,
        saml_provider_id: { int32: 0, valid: false },
        sso_provider_id: { int32: 0, valid: false },
        AuthSecret: null,
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

  test.each(boundaryValues)('%s in every attribute leaves every field its type', (_, value) => {
    const stored = Object.fromEntries(Object.keys(userShape).map(name => [name, value]))
    const {
      AuthSecret,
      roles,
      environment_targeted_access_control: access,
      ...shown
    } = decode(userShape, stored)
    expect([AuthSecret, roles, access]).toEqual([null, [], []])
    expect(typesIn(decode(userShape, {}))).toMatchObject(typesIn(shown))
  })
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
  const stored = encode(userShape, { ...sampleUser(1), AuthSecret: null, last_login: '0001-01-01T00:00:00Z' })
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
