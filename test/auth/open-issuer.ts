import type { RequestListener } from 'node:http'
import { Provider } from 'oidc-provider'
import { onTestFinished, vi } from 'vitest'
import { httpsServer } from './https-server.ts'
import { sharedKeys } from './token/shared-keys.ts'

export const audience = 'administration'
const client = { client_id: 'nightly-job', client_secret: 'secret' }
const resource = 'https://administration.example'
const scope = 'saml-providers:read'
const keys = { a: sharedKeys('trusted'), b: sharedKeys('other') }
type Kid = keyof typeof keys
const tenDays = 864_000

/** Starts a certified OpenID provider, whose certificate this process trusts until the end of the test. */
export async function openIssuer() {
  // It prints warnings that its token store is not for production.
  vi.spyOn(console, 'info').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  let handle: RequestListener = () => {}
  const {
    base: issuer,
    requests,
    close,
  } = await httpsServer((request, response) => handle(request, response))
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await close()
  })

  const opened = {
    issuer,
    close,
    requests,
    /** Publishes the keys of these ids; the first signs. */
    rotate(...kids: [Kid, ...Kid[]]) {
      handle = new Provider(issuer, configuration(kids)).callback()
    },
    /** Requests an access token with client credentials. */
    async token(): Promise<string> {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...client, grant_type: 'client_credentials', resource, scope }),
        headers: { connection: 'close' },
      })
      const { access_token } = (await answer.json()) as { access_token: string }
      return access_token
    },
  }
  opened.rotate('a')
  return opened
}

const configuration = (kids: [Kid, ...Kid[]]) => ({
  jwks: {
    keys: kids.map(kid => ({
      ...keys[kid].privateKey.export({ format: 'jwk' }),
      kid,
      alg: 'RS256',
      use: 'sig',
    })),
  },
  clients: [
    {
      ...client,
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope,
        audience,
        accessTokenTTL: tenDays,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256', kid: kids[0] } },
      }),
    },
  },
  ttl: { ClientCredentials: tenDays },
})
