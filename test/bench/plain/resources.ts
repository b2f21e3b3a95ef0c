import type { Item } from './table.ts'

const zeroTime = '0001-01-01T00:00:00Z'
const time = (value?: string) => ({ time: value ?? zeroTime, valid: value !== undefined })
const int32 = (value?: number) => ({ int32: value ?? 0, valid: value !== undefined })
const text = (value?: string) => ({ string: value ?? '', valid: value !== undefined })
const head = (item: Item) => {
  const { id, created_at = zeroTime, updated_at = zeroTime } = item
  return { id, created_at, updated_at, deleted_at: time(item.deleted_at) }
}

export const samlProvider = (item: Item) => ({
  ...head(item),
  name: item.name ?? '',
  display_name: item.display_name ?? '',
  idp_issuer_uri: item.idp_issuer_uri ?? '',
  idp_sso_uri: item.idp_sso_uri ?? '',
  principal_attribute_mappings: item.principal_attribute_mappings ?? [],
  sp_issuer_uri: item.sp_issuer_uri ?? '',
  sp_sso_uri: item.sp_sso_uri ?? '',
  sp_metadata_uri: item.sp_metadata_uri ?? '',
  sp_acs_uri: item.sp_acs_uri ?? '',
  sso_provider_id: int32(item.sso_provider_id),
})

const authSecret = (item: Item) => {
  const { digest_method = '', expires_at = zeroTime, totp_activated = false } = item
  return { ...head(item), digest_method, expires_at, totp_activated }
}

const permission = (item: Item) => ({ ...head(item), authority: item.authority ?? '', name: item.name ?? '' })

const role = (item: Item) => {
  const { name = '', description = '', permissions = [] } = item
  return { ...head(item), name, description, permissions: permissions.map(permission) }
}

export const user = (item: Item) => ({
  ...head(item),
  saml_provider_id: int32(item.saml_provider_id),
  sso_provider_id: int32(item.sso_provider_id),
  AuthSecret: item.AuthSecret ? authSecret(item.AuthSecret) : undefined,
  roles: (item.roles ?? []).map(role),
  first_name: text(item.first_name),
  last_name: text(item.last_name),
  email_address: text(item.email_address),
  principal_name: item.principal_name ?? '',
  last_login: item.last_login ?? zeroTime,
  is_disabled: item.is_disabled ?? false,
  eula_accepted: item.eula_accepted ?? false,
  all_environments: item.all_environments ?? false,
  environment_targeted_access_control: item.environment_targeted_access_control ?? [],
})
