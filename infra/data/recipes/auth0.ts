import { type Found, userIdOf } from './source.ts'

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
  given_name?: string
  family_name?: string
  blocked?: boolean
  identities?: { connection: string }[]
}

/** Finds connections, as `GET /api/v2/connections` answers them, and users, as a job exports them. */
export function fromAuth0(files: readonly object[], url: string): Found {
  const connections = files.filter((one): one is Connection => Object.hasOwn(one, 'strategy'))
  const profiles = files.filter((one): one is Profile => Object.hasOwn(one, 'user_id'))
  const [tenant = ''] = new URL(url).hostname.split('.')
  return {
    providers: connections.map(({ name, display_name, strategy, options = {} }) => ({
      alias: name,
      isLeftOut: strategy !== 'samlp' && `The connection ${name} is left out: its strategy is ${strategy}.`,
      fields: {
        display_name: display_name || name,
        idp_issuer_uri: /\bentityID="([^"]*)"/.exec(options.metadataXml ?? '')?.[1] ?? '',
        idp_sso_uri: options.signInEndpoint ?? '',
        principal_attribute_mappings: [options.fieldsMap?.email ?? []].flat(),
        sp_issuer_uri: options.entityId || `urn:auth0:${tenant}:${name}`,
        sp_sso_uri: `${url}/authorize?connection=${encodeURIComponent(name)}`,
        sp_metadata_uri: `${url}/samlp/metadata?connection=${encodeURIComponent(name)}`,
        sp_acs_uri: `${url}/login/callback?connection=${encodeURIComponent(name)}`,
      },
    })),
    people: profiles.map(profile => ({
      name: profile.user_id,
      aliases: (profile.identities ?? []).map(({ connection }) => connection),
      fields: {
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
      },
    })),
  }
}
