import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createServer } from 'node:tls'
import type * as Build from '../../infra/build.ts'
import type * as Items from '../../infra/data/table/items.ts'
import { connectTo, localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import type * as Engine from '../../infra/dynamodb/engine.ts'
import { listen } from '../../infra/listen.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { createTable } from '../../infra/resources/table.ts'
import type * as Definition from '../../infra/serverless/service-definition.ts'
import { selfSigned } from '../auth/https-server.ts'
import { putItems } from '../support/put-items.ts'
import type * as Samples from '../support/samples.ts'
import { issuers } from './caller.ts'
import { startFunction } from './function.ts'

const tableName = 'bench'
const certificate = selfSigned()

export type FunctionName = 'list-saml-providers' | 'delete-saml-provider'
export type Side = Awaited<ReturnType<typeof openSide>>

/**
 * Builds the functions of a checkout by its own sources, which also give environment, engine and samples.
 *
 * @param folder gets what is built
 */
export async function openSide(folder: string, root = projectRoot) {
  const load = (file: string) => import(join(root, file))
  const { buildFunctions }: typeof Build = await load('infra/build.ts')
  const items: typeof Items = await load('infra/data/table/items.ts')
  const { startEngine }: typeof Engine = await load('infra/dynamodb/engine.ts')
  const { localSettings }: typeof Definition = await load('infra/serverless/service-definition.ts')
  const samples: typeof Samples = await load('test/support/samples.ts')

  await buildFunctions(root, folder)
  const certificateFile = join(folder, 'certificate.pem')
  writeFileSync(certificateFile, certificate.cert)
  const { environment } = localSettings({ tableName, issuers })

  return {
    /** Starts an engine with an empty table, behind TLS as on AWS. @param running gets what has to be undone */
    async openTable(running: AsyncDisposableStack) {
      const { endpoint, stop } = await startEngine()
      running.defer(stop)
      const client = connectTo(endpoint)
      await createTable(client, tableName)
      const { hostname, port } = new URL(endpoint)
      const server = createServer(certificate, socket =>
        pipeline(socket, connect(Number(port), hostname), socket, () => {}),
      )
      running.defer(() => void server.close())
      const variables = {
        ...localAwsEnvironment,
        ...environment,
        AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${await listen(server, 0)}`,
        NODE_EXTRA_CA_CERTS: certificateFile,
      }
      return {
        /** Adds an active provider, and so many users of 2.7 KB who are linked to it in both ways. */
        async addProvider(id: number, count: number): Promise<void> {
          const links = { saml: id, sso: id }
          const users = Array.from({ length: count }, (_, n) => samples.largeUser(id * 1_000_000 + n, links))
          await putItems(client, tableName, [
            ...users.flatMap(user => [items.userItem(user), items.membershipItem(id, user.id)]),
            items.providerItem(samples.sampleProvider(id, id), count),
          ])
        },
        /** Starts a function. @returns has it answer events */
        async start(name: FunctionName, until: AsyncDisposableStack) {
          const { answer, stop } = await startFunction(join(folder, `${name}.mjs`), variables)
          until.defer(stop)
          return answer
        },
      }
    },
  }
}
