import { isJsonObject } from '../../../lib/domain/json.ts'
import { type Found, type Placed, userIdOf } from './source.ts'

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
  identities: { connection: string; provider: string }[]
}

/**
 * Finds connections, as `GET /api/v2/connections` answers them with and without totals, and users, as a job exports them.
 *
 * @throws Error of one sentence for a value that is neither, and for a user without the field that has the links
 */
export function fromAuth0(values: readonly Placed[], url: string): Found {
  const connections: Connection[] = []
  const profiles: Profile[] = []
  for (const { place, value } of values) {
    const one = isJsonObject(value) ? value : {}
    if ('strategy' in one) connections.push(one as unknown as Connection)
    else if (Array.isArray(one.connections)) connections.push(...one.connections)
    else if (!('user_id' in one))
      throw new Error(`${place}: this is neither a connection nor a user of Auth0.`)
    else if (!Array.isArray(one.identities))
      throw new Error(`${place}: a user without identities: export this field, too.`)
    else profiles.push(one as unknown as Profile)
  }
  const others = connections.filter(({ strategy }) => strategy !== 'samlp')
  const [tenant = ''] = new URL(url).hostname.split('.')
  return {
    providers: connections
      .filter(one => !others.includes(one))
      .map(({ name, display_name, options = {} }) => ({
        alias: name,
        isEnabled: true,
        fields: {
          display_name: display_name || name,
          idp_issuer_uri: entityIdIn(options.metadataXml),
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
      aliases: profile.identities
        .filter(({ provider }) => provider === 'samlp')
        .map(({ connection }) => connection),
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
    leftOut: others.map(
      ({ name, strategy }) => `The connection ${name} is left out: its strategy is ${strategy}.`,
    ),
  }
}

/** The entity id in an IdP's metadata; in XML, an ampersand is always escaped. */
const entityIdIn = (metadataXml = ''): string =>
  /\bentityID=(["'])(.*?)\1/.exec(metadataXml)?.[2]?.replaceAll('&amp;', '&') ?? ''
