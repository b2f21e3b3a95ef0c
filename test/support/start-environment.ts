import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { loadFunctions } from '../../infra/local/functions/functions.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { routes, scheduledFunctions } from '../../infra/serverless/service-definition.ts'
import { localSettings } from '../../infra/serverless/settings.ts'
import { apiRequest } from './api-request.ts'
import { temporaryFolder } from './machine.ts'

interface Environment {
  /** The URL of DynamoDB. */
  tableUrl: string
  /** The parameters of the deployment, beside its issuer and its table. */
  parameters?: { responseTransferMode?: string }
  /** These replace variables of the deployment. */
  variables?: Record<string, string>
}

/** Starts the built functions in this process, as Lambda does in an execution environment. */
export async function startEnvironment({ tableUrl, parameters, variables }: Environment) {
  const issuer = await openIssuer()
  const { environment } = await localSettings({
    issuers: issuer.trust,
    tableName: 'some-table',
    ...parameters,
  })
  const all = { ...environment, ...localAwsEnvironment, AWS_ENDPOINT_URL_DYNAMODB: tableUrl, ...variables }
  const invoke = await loadFunctions({ folder: temporaryFolder(), variables: all })
  const call = { requestId: 'request-1', timeoutMs: 30_000 }
  return {
    /** Calls the function of the list with an administrator's token. */
    async list() {
      const deployed = routes.find(({ method }) => method === 'get') ?? expect.unreachable()
      const headers: [string, string][] = [['Authorization', `Bearer ${await issuer.tokenFor()}`]]
      const event = apiRequest({ resource: `/${deployed.path}`, headers }, Date.now())
      const { statusCode, body } = await invoke({ ...call, deployed, event })
      const isStreamed = body instanceof Readable
      return { statusCode, isStreamed, body: isStreamed ? await text(body) : body }
    },
    /** Calls the scheduled function. */
    run: () => invoke({ ...call, deployed: scheduledFunctions[0] ?? expect.unreachable(), event: {} }),
  }
}
