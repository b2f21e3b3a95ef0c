import type { RequestListener } from 'node:http'
import { Provider } from 'oidc-provider'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fetchJson } from '../../lib/auth/keys/fetch-json.ts'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { systemClock } from '../../lib/time.ts'
import { httpsServer } from './https-server.ts'
import { issuersOf, keyPorts, patient } from './issuers.ts'
import { sharedKeys } from './token/signer.ts'

const audience = 'administration'
const client = { client_id: 'nightly-job', client_secret: 'secret' }
const resource = 'https://administration.example'
const scope = 'saml-providers:read'
const jwk = sharedKeys('trusted').privateKey.export({ format: 'jwk' })

const configuration = {
  jwks: { keys: [{ ...jwk, kid: 'a', alg: 'RS256', use: 'sig' }] },
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
        ...{ scope, audience, accessTokenTTL: 300, accessTokenFormat: 'jwt' },
        jwt: { sign: { alg: 'RS256', kid: 'a' } },
      }),
    },
  },
  ttl: { ClientCredentials: 300 },
}

test('a token of a certified provider is verified with only the URL of its issuer', async () => {
  // The provider prints warnings that its token store is not for production.
  vi.spyOn(console, 'info').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  let handle: RequestListener = () => {}
  const { base: issuer, requests, close } = await httpsServer((...exchange) => handle(...exchange))
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await close()
  })
  handle = new Provider(issuer, configuration).callback()
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, grant_type: 'client_credentials', resource, scope }),
    headers: { connection: 'close' },
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const verify = tokenVerifier(issuersOf({ issuer, audience }), keyPorts({ clock: systemClock, fetchJson }))
  for (const _ of ['with fetched keys', 'with known keys'])
    expect(await verify(token, patient)).toEqual({
      issuer,
      subject: 'nightly-job',
      clientId: 'nightly-job',
      scopes: new Set([scope]),
    })
  expect(requests).toEqual(['POST /token', 'GET /.well-known/openid-configuration', 'GET /jwks'])
})
