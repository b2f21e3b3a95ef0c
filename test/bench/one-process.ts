import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { deleteSamlProvider } from '../../functions/delete-saml-provider.ts'
import { systemClock } from '../../lib/time.ts'
import { readConfig } from '../../lib/config.ts'
import { createDeps } from '../../lib/deps.ts'
import type { ApiAnswer } from '../../lib/http/request.ts'
import { apiRequest } from '../support/api-request.ts'
import { signer } from '../auth/token/signer.ts'

const issuer = signer({ issuer: 'https://issuer.example', audience: 'bench', nowMs: systemClock.nowMs })

/** The DELETE as Lambda would run it, on the system's clock. */
export function deletes(client: DynamoDBDocumentClient, tableName: string) {
  const config = readConfig({
    TABLE_NAME: tableName,
    ISSUERS: JSON.stringify([{ issuer: 'https://issuer.example', audience: 'bench', jwks: issuer.jwks }]),
    SUCCESSOR_PATH: '/successor',
    DEPRECATED_AT: '2025-01-01T00:00:00Z',
  })
  const outside = { clock: systemClock, log: () => {}, client, newId: randomUUID }
  const deps = createDeps(config, { ...outside, fetchJson: () => Promise.reject(new Error('no network')) })
  const handle = deleteSamlProvider(deps) as unknown as (
    event: unknown,
    context: object,
  ) => Promise<ApiAnswer>

  return (providerId: number, more: [string, string][] = []) => {
    const authorization = `Bearer ${issuer.sign({ scope: 'saml-providers:delete' })}`
    const headers: [string, string][] = [['Authorization', authorization], ...more]
    const pathParameters = { saml_provider_id: String(providerId) }
    return handle(apiRequest({ method: 'DELETE', pathParameters, headers }, systemClock.nowMs()), {})
  }
}
