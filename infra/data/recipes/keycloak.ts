import { type Converted, type ConvertOptions, linked, providerIdOf, userIdOf } from './source.ts'

interface Realm {
  realm: string
  identityProviders?: IdentityProvider[]
  users?: RealmUser[]
}

/** Not only for SAML; the values of `config` are texts. */
interface IdentityProvider {
  alias: string
  displayName?: string
  providerId: string
  enabled?: boolean
  config?: Record<string, string | undefined>
}

interface RealmUser {
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
}

/** Converts the files of `kc.sh export`: one of a realm, and those with its users if they are apart. */
export function fromKeycloak(files: readonly object[], { url, prefer }: ConvertOptions): Converted {
  const realms = files as Realm[]
  const base = `${url}/realms/${realms[0]?.realm}`
  const all = realms.flatMap(({ identityProviders = [] }) => identityProviders)
  const saml = all.filter(({ providerId, enabled = true }) => providerId === 'saml' && enabled)
  const accounts = realms.flatMap(({ users = [] }) => users)
  const people = accounts.filter(({ serviceAccountClientId }) => serviceAccountClientId === undefined)
  const persons = people.map(user => ({
    name: user.username,
    aliases: (user.federatedIdentities ?? []).map(({ identityProvider }) => identityProvider),
    user: userOf(user, base),
  }))
  return {
    providers: saml.map(provider => providerOf(provider, base)),
    ...linked(
      persons,
      saml.map(({ alias }) => alias),
      prefer,
    ),
    leftOut: [
      ...all
        .filter(one => !saml.includes(one))
        .map(
          ({ alias, enabled = true }) =>
            `The identity provider ${alias} is left out: it is ${enabled ? 'not SAML' : 'disabled'}.`,
        ),
      ...accounts
        .filter(one => !people.includes(one))
        .map(({ username }) => `The service account ${username} is left out.`),
    ],
  }
}

function providerOf({ alias, displayName, config = {} }: IdentityProvider, base: string) {
  const broker = `${base}/broker/${alias}`
  return {
    id: providerIdOf(alias),
    name: alias,
    display_name: displayName || alias,
    idp_issuer_uri: config.idpEntityId ?? '',
    idp_sso_uri: config.singleSignOnServiceUrl ?? '',
    principal_attribute_mappings: config.principalAttribute ? [config.principalAttribute] : [],
    sp_issuer_uri: config.entityId || base,
    sp_sso_uri: `${broker}/login`,
    sp_metadata_uri: `${broker}/endpoint/descriptor`,
    sp_acs_uri: `${broker}/endpoint`,
  }
}

const userOf = (user: RealmUser, base: string) => ({
  id: userIdOf(user.id, base),
  created_at: user.createdTimestamp === undefined ? null : new Date(user.createdTimestamp).toISOString(),
  first_name: user.firstName || null,
  last_name: user.lastName || null,
  email_address: user.email || null,
  principal_name: user.username,
  is_disabled: user.enabled === false,
  eula_accepted: !user.requiredActions?.some(action => action.toUpperCase() === 'TERMS_AND_CONDITIONS'),
  all_environments: false,
})
