import type { SamlProvider } from '../../lib/domain/resources.ts'
import { absentTime, dayMs, isoTime, startMs } from './values.ts'

const emailClaim = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress'

export const okta = provider(1, 'okta', 'Okta', 11, 'https://acme.okta.example', ['email', emailClaim])
export const entraId = provider(2, 'entra-id', 'Microsoft Entra ID', 12, 'https://login.entra.example/acme', [
  emailClaim,
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
])
export const keycloak = provider(
  3,
  'keycloak',
  'Keycloak',
  undefined,
  'https://keycloak.example/realms/acme',
  ['urn:oid:0.9.2342.19200300.100.1.3'],
)
/** Set up and never used. */
const adfs = provider(4, 'ad-fs', 'AD FS (pilot)', 14, 'https://adfs.example/adfs', [emailClaim])

export const sampleProviders: SamlProvider[] = [okta, entraId, keycloak, adfs]

function provider(
  id: number,
  name: string,
  displayName: string,
  ssoProviderId: number | undefined,
  idpUri: string,
  attributes: string[],
): SamlProvider {
  const spUri = `https://app.example.com/api/v2/sso/${name}`
  return {
    id,
    created_at: isoTime(startMs + id * dayMs),
    updated_at: isoTime(startMs + id * 40 * dayMs),
    deleted_at: absentTime.nullable,
    name,
    display_name: displayName,
    idp_issuer_uri: idpUri,
    idp_sso_uri: `${idpUri}/saml2/sso`,
    principal_attribute_mappings: attributes,
    sp_issuer_uri: spUri,
    sp_sso_uri: `${spUri}/sso`,
    sp_metadata_uri: `${spUri}/metadata`,
    sp_acs_uri: `${spUri}/acs`,
    sso_provider_id:
      ssoProviderId === undefined ? { int32: 0, valid: false } : { int32: ssoProviderId, valid: true },
  }
}
