import { join } from 'node:path'
import type * as Build from '../../infra/build.ts'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { connectTo, localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { startEngine } from '../../infra/dynamodb/engine.ts'
import { createTable } from '../../infra/resources/table.ts'
import type * as Definition from '../../infra/serverless/service-definition.ts'
import { putItems } from '../support/put-items.ts'
import { largeUser, sampleProvider } from '../support/samples.ts'
import { issuers, startFunction } from './function.ts'

const tableName = 'bench'

type Side = Awaited<ReturnType<typeof openSide>>
export type Table = Awaited<ReturnType<Side>>

/**
 * Builds the functions of a checkout by its own sources, which also give their environment. Engine and samples are those of
 * this checkout, for both sides.
 *
 * @param buildFolder gets what is built, and has nothing else then
 * @returns starts an engine with an empty table; `running` gets what has to be undone
 */
export async function openSide(root: string, buildFolder: string) {
  const load = (file: string) => import(join(root, file))
  const { buildFunctions }: typeof Build = await load('infra/build.ts')
  const { localSettings }: typeof Definition = await load('infra/serverless/service-definition.ts')
  await buildFunctions(root, buildFolder)
  const { environment } = localSettings({ tableName, issuers })

  return async (running: AsyncDisposableStack) => {
    const { endpoint, stop } = await startEngine()
    running.defer(stop)
    const client = connectTo(endpoint)
    await createTable(client, tableName)
    const variables = { ...localAwsEnvironment, ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint }
    return {
      /** Adds an active provider, and so many users of 2.7 KB who are linked to it in both ways. */
      async addProvider(id: number, count: number): Promise<void> {
        const links = { saml: id, sso: id }
        const users = Array.from({ length: count }, (_, n) => largeUser(id * 1_000_000 + n, links))
        const linked = users.flatMap(user => [userItem(user), membershipItem(id, user.id)])
        await putItems(client, tableName, [...linked, providerItem(sampleProvider(id, id), count)])
      },
      start: (name: 'list-saml-providers' | 'delete-saml-provider', until: AsyncDisposableStack) =>
        startFunction(join(buildFolder, `${name}.mjs`), variables, until),
    }
  }
}
