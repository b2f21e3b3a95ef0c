import { type Found, userIdOf } from './source.ts'

interface Realm {
  realm: string
  /** Not only for SAML; the values of `config` are texts. */
  identityProviders?: {
    alias: string
    displayName?: string
    providerId: string
    enabled?: boolean
    config?: Record<string, string | undefined>
  }[]
  users?: {
    id?: string
    createdTimestamp?: number
    username: string
    enabled?: boolean
    email?: string
    firstName?: string
    lastName?: string
    requiredActions?: string[]
    federatedIdentities?: { identityProvider: string }[]
    serviceAccountClientId?: string
  }[]
}

/** Finds what is in the files of `kc.sh export`: one of a realm, and those with its users if they are apart. */
export function fromKeycloak(files: readonly object[], url: string): Found {
  const realms = files as Realm[]
  const base = `${url}/realms/${realms[0]?.realm}`
  const providers = realms.flatMap(({ identityProviders = [] }) => identityProviders)
  const accounts = realms.flatMap(({ users = [] }) => users)
  const services = accounts.filter(({ serviceAccountClientId }) => serviceAccountClientId !== undefined)
  return {
    providers: providers.map(({ alias, displayName, providerId, enabled = true, config = {} }) => ({
      alias,
      isLeftOut:
        (!enabled || providerId !== 'saml') &&
        `The identity provider ${alias} is left out: it is ${enabled ? 'not SAML' : 'disabled'}.`,
      fields: {
        display_name: displayName || alias,
        idp_issuer_uri: config.idpEntityId ?? '',
        idp_sso_uri: config.singleSignOnServiceUrl ?? '',
        principal_attribute_mappings: config.principalAttribute ? [config.principalAttribute] : [],
        sp_issuer_uri: config.entityId || base,
        sp_sso_uri: `${base}/broker/${alias}/login`,
        sp_metadata_uri: `${base}/broker/${alias}/endpoint/descriptor`,
        sp_acs_uri: `${base}/broker/${alias}/endpoint`,
      },
    })),
    people: accounts
      .filter(user => !services.includes(user))
      .map(user => ({
        name: user.username,
        aliases: (user.federatedIdentities ?? []).map(({ identityProvider }) => identityProvider),
        fields: {
          id: userIdOf(user.id, base),
          created_at:
            user.createdTimestamp === undefined ? null : new Date(user.createdTimestamp).toISOString(),
          first_name: user.firstName || null,
          last_name: user.lastName || null,
          email_address: user.email || null,
          principal_name: user.username,
          is_disabled: user.enabled === false,
          eula_accepted: !user.requiredActions?.some(action => /^terms_and_conditions$/i.test(action)),
          all_environments: false,
        },
      })),
    leftOut: services.map(({ username }) => `The service account ${username} is left out.`),
  }
}
