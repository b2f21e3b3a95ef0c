import {
  flag,
  integer,
  listOf,
  nullableInt32,
  nullableString,
  nullableTime,
  optional,
  type Decoded,
  text,
  texts,
  timestamp,
} from './fields.ts'

// Section 2 of the API document: every field in its order. No other field leaves the service.

const trace = { created_at: timestamp, updated_at: timestamp, deleted_at: nullableTime } as const

const authSecret = {
  id: integer,
  ...trace,
  digest_method: text,
  expires_at: timestamp,
  totp_activated: flag,
} as const

const permission = { id: integer, ...trace, authority: text, name: text } as const

const role = {
  id: integer,
  ...trace,
  name: text,
  description: text,
  permissions: listOf(permission, ['id']),
} as const

const environmentAccess = { user_id: text, environment_id: text } as const

export const userShape = {
  id: text,
  ...trace,
  saml_provider_id: nullableInt32,
  sso_provider_id: nullableInt32,
  // Clients that were generated from the original description cannot read a null here.
  AuthSecret: optional(authSecret, ['id']),
  roles: listOf(role, ['id']),
  first_name: nullableString,
  last_name: nullableString,
  email_address: nullableString,
  principal_name: text,
  last_login: timestamp,
  is_disabled: flag,
  eula_accepted: flag,
  all_environments: flag,
  environment_targeted_access_control: listOf(environmentAccess, ['user_id', 'environment_id']),
} as const

export const samlProviderShape = {
  id: integer,
  ...trace,
  name: text,
  display_name: text,
  idp_issuer_uri: text,
  idp_sso_uri: text,
  principal_attribute_mappings: texts,
  sp_issuer_uri: text,
  sp_sso_uri: text,
  sp_metadata_uri: text,
  sp_acs_uri: text,
  sso_provider_id: nullableInt32,
} as const

export type User = Decoded<typeof userShape>
export type SamlProvider = Decoded<typeof samlProviderShape>
export type Resource = User | SamlProvider
/** The stored user of a caller: what reads as absent when it is shown must not give access. */
export type CallingUser = User & { isMalformed: boolean }
