import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { listSamlProviders } from '../../../functions/list-saml-providers.ts'
import { localAws } from '../../../infra/dynamodb/client.ts'
import { readConfig } from '../../../lib/config.ts'
import { createDeps } from '../../../lib/deps.ts'
import type { ApiAnswer } from '../../../lib/http/request.ts'
import { openClient } from '../../../lib/store/client.ts'
import { systemClock } from '../../../lib/time.ts'
import type { Answer } from '../serverless/fake-aws/fake-aws.ts'
import { apiRequest } from '../../support/api-request.ts'

/**
 * A fake of LocalStack's gateway that invokes the real list function with the deployed configuration. As LocalStack
 * 2026.3.0, it sends compressed answers as base64 text, and answers an unknown route without the API's template.
 */
export const fakeGateway =
  (dynamodbEndpoint: string) =>
  async (request: IncomingMessage, variables: Record<string, string>): Promise<Answer> => {
    if (!request.url?.endsWith('/dev/api/v2/saml'))
      return [404, '{"message": "Missing Authentication Token"}']
    const client = openClient({ endpoint: dynamodbEndpoint, ...localAws })
    const deps = createDeps(readConfig(variables), {
      clock: systemClock,
      log: () => {},
      client,
      fetchJson: () => Promise.reject(new Error('no network')),
      newId: randomUUID,
    })
    const lines = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const event = apiRequest({ resource: '/api/v2/saml', headers: lines }, Date.now())
    const handle = listSamlProviders(deps) as unknown as (
      event: unknown,
      context: object,
    ) => Promise<ApiAnswer>
    const { statusCode, headers, body } = await handle(event, {})
    client.destroy()
    const lowerCase = Object.entries(headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ])
    return [statusCode, body, Object.fromEntries(lowerCase)]
  }
