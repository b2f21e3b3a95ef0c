import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as fields from '../../lib/domain/fields.ts'
import { samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { arbitraryOf } from './arbitrary-resource.ts'

const { decode, encode } = fields

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
const namesOf = (value: unknown) => Object.keys(value as object).join(' ')

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
    expect(namesOf(shown), 'list the field above, as the document has it').toBe(names),
  )

  test('members of the prototype are not read', () => {
    expect(decode(userShape, Object.create(encode(userShape, sampleUser(1))))).toEqual(decode(userShape, {}))
  })

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
})

describe('encoding and decoding', () => {
  test.each([
    ['user', userShape],
    ['SAML provider', samlProviderShape],
  ])('any %s returns the same resource', (_, shape) => {
    fc.assert(
      fc.property(arbitraryOf(shape), resource => {
        expect(decode(shape as never, encode(shape as never, resource as never))).toEqual(resource)
      }),
    )
  })

  test('an absent value is not stored', () => {
    const stored = encode(userShape, sampleUser(1))
    for (const name of ['deleted_at', 'saml_provider_id', 'sso_provider_id', 'last_name'])
      expect(stored).not.toHaveProperty(name)
    expect(encode(userShape, { ...sampleUser(1), AuthSecret: null })).not.toHaveProperty('AuthSecret')
  })

  test('values of a wrong type read as absent, without an error', () => {
    const keys = Object.keys(userShape)
    const malformed = fc.dictionary(fc.constantFrom(...keys), fc.anything())
    const kinds = JSON.stringify(kindsOf(decode(userShape, {})))
    fc.assert(
      fc.property(malformed, item => {
        const shown = decode(userShape, item)
        expect(namesOf(shown)).toBe(document.user)
        expect(
          JSON.stringify(
            kindsOf({ ...shown, AuthSecret: null, roles: [], environment_targeted_access_control: [] }),
          ),
        ).toBe(kinds)
      }),
    )
  })
})

function kindsOf(value: unknown): unknown {
  if (Array.isArray(value) || value === null) return value
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, kindsOf(inner)]))
}
