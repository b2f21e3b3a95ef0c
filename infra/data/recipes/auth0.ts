import { type Converted, type ConvertOptions, linked, providerIdOf, userIdOf } from './source.ts'

interface Connection {
  name: string
  display_name?: string
  strategy: string
  options?: {
    signInEndpoint?: string
    entityId?: string
    metadataXml?: string
    fieldsMap?: { email?: string | string[] }
  }
}

interface Profile {
  user_id: string
  created_at?: string
  updated_at?: string
  last_login?: string
  email?: string
  username?: string
  name?: string
  given_name?: string
  family_name?: string
  blocked?: boolean
  identities?: { connection: string }[]
}

/** Converts connections, as `GET /api/v2/connections` answers them, and users, as a job exports them. */
export function fromAuth0(files: readonly object[], { url, prefer }: ConvertOptions): Converted {
  const connections = files.filter((one): one is Connection => Object.hasOwn(one, 'strategy'))
  const profiles = files.filter((one): one is Profile => Object.hasOwn(one, 'user_id'))
  const saml = connections.filter(({ strategy }) => strategy === 'samlp')
  const persons = profiles.map(profile => ({
    name: profile.user_id,
    aliases: (profile.identities ?? []).map(({ connection }) => connection),
    user: userOf(profile, url),
  }))
  return {
    providers: saml.map(connection => providerOf(connection, url)),
    ...linked(
      persons,
      saml.map(({ name }) => name),
      prefer,
    ),
    leftOut: connections
      .filter(one => !saml.includes(one))
      .map(({ name, strategy }) => `The connection ${name} is left out: its strategy is ${strategy}.`),
  }
}

function providerOf({ name, display_name, options = {} }: Connection, url: string) {
  const [tenant = ''] = new URL(url).hostname.split('.')
  const query = `connection=${encodeURIComponent(name)}`
  return {
    id: providerIdOf(name),
    name,
    display_name: display_name || name,
    idp_issuer_uri: /\bentityID="([^"]*)"/.exec(options.metadataXml ?? '')?.[1] ?? '',
    idp_sso_uri: options.signInEndpoint ?? '',
    principal_attribute_mappings: [options.fieldsMap?.email ?? []].flat(),
    sp_issuer_uri: options.entityId || `urn:auth0:${tenant}:${name}`,
    sp_sso_uri: `${url}/authorize?${query}`,
    sp_metadata_uri: `${url}/samlp/metadata?${query}`,
    sp_acs_uri: `${url}/login/callback?${query}`,
  }
}

const userOf = (profile: Profile, url: string) => ({
  id: userIdOf(profile.user_id, url),
  created_at: profile.created_at ?? null,
  updated_at: profile.updated_at ?? null,
  first_name: profile.given_name || null,
  last_name: profile.family_name || null,
  email_address: profile.email || null,
  principal_name: profile.username || profile.email || profile.user_id,
  last_login: profile.last_login ?? null,
  is_disabled: profile.blocked === true,
  eula_accepted: false,
  all_environments: false,
})
