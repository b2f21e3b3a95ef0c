import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { deleteSamlProvider } from '../../functions/delete-saml-provider.ts'
import { listSamlProviders } from '../../functions/list-saml-providers.ts'
import { readConfig } from '../../lib/config.ts'
import { createDeps } from '../../lib/deps.ts'
import type { ApiAnswer } from '../../lib/http/request.ts'
import { systemClock } from '../../lib/time.ts'
import { signer } from '../auth/token/signer.ts'
import { type TestRequest, apiRequest } from '../support/api-request.ts'

const issuer = signer({ issuer: 'https://issuer.example', audience: 'bench', nowMs: systemClock.nowMs })

/** The environment of a function. */
export const environment = (tableName: string) => ({
  TABLE_NAME: tableName,
  ISSUERS: JSON.stringify([{ issuer: 'https://issuer.example', audience: 'bench', jwks: issuer.jwks }]),
  SUCCESSOR_PATH: '/successor',
  DEPRECATED_AT: '2025-01-01T00:00:00Z',
})

const tokenMs = 60_000
let signed = { token: '', untilMs: 0 }

/** The same token for a while: signing it takes a millisecond that is not the service's. */
function token(): string {
  const nowMs = systemClock.nowMs()
  if (nowMs >= signed.untilMs) {
    const scope = 'saml-providers:read saml-providers:delete'
    signed = { token: issuer.sign({ scope }), untilMs: nowMs + tokenMs }
  }
  return signed.token
}

/** The event of a request by a caller who may do everything. */
export function eventOf(asked: TestRequest, more: [string, string][] = []) {
  const headers: [string, string][] = [['Authorization', `Bearer ${token()}`], ...more]
  return apiRequest({ ...asked, headers }, systemClock.nowMs())
}

/** A context whose stream takes everything at once. */
export const streaming = {
  openStream: () => new Writable({ write: (_, __, done) => done() }),
  getRemainingTimeInMillis: () => 900_000,
}

/** Both endpoints as Lambda would run them, on the system's clock; buffered unless the context can open a stream. */
export function endpoints(client: DynamoDBDocumentClient, tableName: string, context: object = {}) {
  const adapters = { clock: systemClock, log: () => {}, client, newId: randomUUID }
  const deps = createDeps(readConfig(environment(tableName)), {
    ...adapters,
    fetchJson: () => Promise.reject(new Error('no network')),
  })
  type Handle = (event: unknown, context: object) => Promise<ApiAnswer>
  const [list, remove] = [listSamlProviders(deps), deleteSamlProvider(deps)] as unknown as [Handle, Handle]
  return {
    list: (event: unknown) => list(event, context),
    remove(providerId: number, more: [string, string][] = []) {
      const route = { method: 'DELETE', resource: '/saml/{id}', pathParameters: { id: String(providerId) } }
      return remove(eventOf(route, more), context)
    },
  }
}
