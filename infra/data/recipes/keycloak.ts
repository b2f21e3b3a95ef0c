import { isJsonObject } from '../../../lib/domain/json.ts'
import { type Found, type Placed, userIdOf } from './source.ts'

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

/**
 * Finds what is in the files of `kc.sh export`: one of a realm, and those with its users if they are apart.
 *
 * @throws Error of one sentence for a file of another kind, and for several realms
 */
export function fromKeycloak(values: readonly Placed[], url: string): Found {
  const realms = values.map(realmOf)
  const [name, another] = new Set(realms.map(({ realm }) => realm))
  if (another !== undefined)
    throw new Error(`The files have the realms ${name} and ${another}: convert one at a time.`)
  const base = `${url}/realms/${name}`
  const providers = realms.flatMap(({ identityProviders = [] }) => identityProviders)
  const others = providers.filter(({ providerId }) => providerId !== 'saml').map(({ alias }) => alias)
  const accounts = realms.flatMap(({ users = [] }) => users)
  const services = accounts.filter(({ serviceAccountClientId }) => serviceAccountClientId !== undefined)
  return {
    providers: providers
      .filter(({ alias }) => !others.includes(alias))
      .map(({ alias, displayName, enabled, config = {} }) => {
        const broker = `${base}/broker/${encodeURIComponent(alias)}`
        return {
          alias,
          isEnabled: enabled === true,
          fields: {
            display_name: displayName || alias,
            idp_issuer_uri: config.idpEntityId ?? '',
            idp_sso_uri: config.singleSignOnServiceUrl ?? '',
            principal_attribute_mappings: config.principalAttribute ? [config.principalAttribute] : [],
            sp_issuer_uri: config.entityId || base,
            sp_sso_uri: `${broker}/login`,
            sp_metadata_uri: `${broker}/endpoint/descriptor`,
            sp_acs_uri: `${broker}/endpoint`,
          },
        }
      }),
    people: accounts
      .filter(user => !services.includes(user))
      .map(user => ({
        name: user.username,
        aliases: (user.federatedIdentities ?? [])
          .map(({ identityProvider }) => identityProvider)
          .filter(alias => !others.includes(alias)),
        fields: {
          id: userIdOf(user.id, base),
          created_at:
            user.createdTimestamp === undefined ? null : new Date(user.createdTimestamp).toISOString(),
          first_name: user.firstName || null,
          last_name: user.lastName || null,
          email_address: user.email || null,
          principal_name: user.username,
          is_disabled: user.enabled !== true,
          eula_accepted: !user.requiredActions?.some(action => /^terms_and_conditions$/i.test(action)),
          all_environments: false,
        },
      })),
    leftOut: [
      ...others.map(alias => `The identity provider ${alias} is left out: it is not SAML.`),
      ...services.map(({ username }) => `The service account ${username} is left out.`),
    ],
  }
}

function realmOf({ place, value }: Placed): Realm {
  const hasOne = (name: string) => isJsonObject(value) && Array.isArray(value[name])
  if (isJsonObject(value) && 'realm' in value && (hasOne('users') || hasOne('identityProviders')))
    return value as unknown as Realm
  throw new Error(`${place}: this is neither a realm of Keycloak nor the users of one.`)
}
