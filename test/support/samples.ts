import { NumberValue } from '@aws-sdk/lib-dynamodb'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'

const none = { time: '0001-01-01T00:00:00Z', valid: false }
const times = {
  created_at: '2024-03-01T08:00:00.000Z',
  updated_at: '2024-03-02T09:30:00.000Z',
  deleted_at: none,
}

/** The id of the n-th sample user; ids ascend with n. */
export const userId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export const int32 = (value?: number) => ({ int32: value ?? 0, valid: value !== undefined })

export function sampleProvider(id: number, ssoProviderId?: number): SamlProvider {
  return {
    id,
    ...times,
    name: `provider-${id}`,
    display_name: `Provider ${id}`,
    idp_issuer_uri: `https://idp-${id}.example/issuer`,
    idp_sso_uri: `https://idp-${id}.example/sso`,
    principal_attribute_mappings: ['email', 'upn'],
    sp_issuer_uri: 'https://sp.example/saml',
    sp_sso_uri: 'https://sp.example/saml/sso',
    sp_metadata_uri: 'https://sp.example/saml/metadata',
    sp_acs_uri: 'https://sp.example/saml/acs',
    sso_provider_id: int32(ssoProviderId),
  }
}

export interface Links {
  saml?: number
  sso?: number
}

export function sampleUser(n: number, { saml, sso }: Links = {}): User {
  const id = userId(n)
  return {
    id,
    ...times,
    saml_provider_id: int32(saml),
    sso_provider_id: int32(sso),
    AuthSecret: {
      id: n,
      ...times,
      digest_method: 'argon2',
      expires_at: '2027-01-01T00:00:00.000Z',
      totp_activated: true,
    },
    roles: [
      {
        id: 1,
        ...times,
        name: 'Reader',
        description: 'May read',
        // Larger than the int32 of the providers' ids.
        permissions: [{ id: 3_000_000_011, ...times, authority: 'app', name: 'AppRead' }],
      },
    ],
    first_name: { string: 'First', valid: true },
    last_name: { string: '', valid: false },
    email_address: { string: `user-${n}@example.com`, valid: true },
    principal_name: `user-${n}@example.com`,
    last_login: '2026-01-01T00:00:00.000Z',
    is_disabled: false,
    eula_accepted: true,
    all_environments: false,
    environment_targeted_access_control: [{ user_id: id, environment_id: 'production' }],
  }
}

/** So many users with these links, from the first on. */
export const sampleUsers = (count: number, links: Links = {}): User[] =>
  Array.from({ length: count }, (_, n) => sampleUser(n, links))

const permissionsInRole = 18

/** A user whose item has 2.7 KB. */
export function largeUser(n: number, links: Links): User {
  const user = sampleUser(n, links)
  const roles = user.roles.map(role => ({
    ...role,
    permissions: Array.from({ length: permissionsInRole }, () => role.permissions)
      .flat()
      .map((permission, id) => ({ ...permission, id, name: `App-${id}` })),
  }))
  return { ...user, roles }
}

const bytes = new Uint8Array([1, 2])

/** Stored values of every DynamoDB type, with the boundary cases of each; none is a time in seconds. */
export const boundaryValues: [name: string, value: unknown][] = [
  ['an empty string', ''],
  ['a string', 'x'],
  ['a number as a string', '1893456000'],
  ['zero', 0],
  ['a negative number', -1],
  ['a fraction', 1.5],
  ['a number that JavaScript rounds', new NumberValue('9007199254740993.5')],
  ['an integer that JavaScript rounds', new NumberValue('9007199254740993')],
  ['the greatest number', new NumberValue('9'.repeat(38) + '0'.repeat(88))],
  ['true', true],
  ['false', false],
  ['null', null],
  ['bytes', bytes],
  ['a set of strings', new Set(['b', 'a'])],
  ['a set of numbers', new Set([2, 1])],
  ['a set of rounded numbers', new Set([new NumberValue('9007199254740993'), new NumberValue('1.5')])],
  ['a set of bytes', new Set([bytes])],
  ['an empty list', []],
  ['a list', ['a', 1, [null]]],
  ['an empty map', {}],
  ['a map', { seconds: 1_893_456_000, nested: { set: new Set([1]) } }],
  ['a map with a member toString', { toString: 'x' }],
]
