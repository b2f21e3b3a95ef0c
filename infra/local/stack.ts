import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { buildFunctions } from '../build.ts'
import { explainEngine } from '../dynamodb/endpoint.ts'
import { claim } from './claim.ts'
import { docs } from './docs/docs.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { startFunctions } from './functions.ts'
import { startGateway } from './gateway.ts'
import { gatewayAnswers } from './gateway-answers.ts'
import { openIssuer, type TokenOptions } from './issuer.ts'
import { holdsProviders, putSampleItems } from '../sample-data/items.ts'
import { sampleProviders } from '../sample-data/providers.ts'
import { sampleUsers } from '../sample-data/users.ts'
import { routes } from '../serverless/service-definition.ts'
import { localSettings } from '../serverless/settings.ts'
import { createTable, dropTable } from '../dynamodb/table.ts'
import { connectTo } from '../dynamodb/client.ts'

export interface LocalStackOptions {
  /** 0 lets the system choose. */
  port: number
  /** A DynamoDB that runs already; without it one is started inside this process. */
  dynamodbEndpoint?: string | undefined
  /** Where the issuer's key, the functions' log and kept data live; without it nothing outlives the stack. */
  dataDirectory?: string
  /** Go on with the data of the last start that kept its data. */
  keep?: boolean
  log: (line: string) => void
}

export interface LocalStack {
  url: string
  /** What the functions use, for a test that looks at the table itself. */
  table: { endpoint: string; name: string }
  tokenFor(options?: TokenOptions): Promise<string>
  /** Resolves if the functions ever end by themselves, with what they said last. */
  died: Promise<string>
  stop(): Promise<void>
}

/**
 * The service on this machine: gateway, functions, table and token issuer.
 *
 * @throws Error of one sentence for whoever started it; what was started by then is stopped
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { port, dynamodbEndpoint, dataDirectory, keep = false, log } = options
  const cleanups: (() => Promise<unknown> | unknown)[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= (async () => {
      for (const cleanup of cleanups.reverse()) await cleanup()
    })()
    return stopping
  }

  try {
    const issuer = await openIssuer(dataDirectory)
    const tableName = `saml-providers-local-${placeOf(dataDirectory)}`
    const settings = await localSettings(issuer.trust, tableName)
    const gateway = await startGateway(port, routes, gatewayAnswers(settings), docs(issuer.tokenFor)).catch(
      explainPort(port),
    )
    cleanups.push(gateway.stop)

    log('build      bundling the functions')
    await buildFunctions()

    const kept =
      keep && dynamodbEndpoint === undefined && dataDirectory !== undefined
        ? join(dataDirectory, 'dynamodb')
        : undefined
    let endpoint = dynamodbEndpoint
    if (endpoint === undefined) {
      if (kept !== undefined) cleanups.push(claim(kept))
      const engine = await startEngine(kept)
      cleanups.push(engine.stop)
      endpoint = engine.endpoint
    }
    const kind = dynamodbEndpoint === undefined ? 'an embedded DynamoDB' : 'the DynamoDB'
    log(`table      ${tableName} in ${kind} at ${endpoint}${kept ? `, kept in ${kept}` : ''}`)
    const client = connectTo(endpoint)
    cleanups.push(() => client.destroy())
    await prepareTable(client, tableName, keep, log).catch(explainEngine(`at ${endpoint}`))
    if (dynamodbEndpoint !== undefined && !keep)
      cleanups.push(() => dropTable(client, tableName).catch(() => {}))

    log(
      `functions  starting${dataDirectory === undefined ? '' : `; what they print goes to ${functionsLog(dataDirectory)}`}`,
    )
    const functions = await startFunctions({
      issuers: issuer.trust,
      tableName,
      dynamodbEndpoint: endpoint,
      output: outputTo(dataDirectory),
    })
    cleanups.push(functions.stop, gateway.stop) // the gateway first: open connections would hold the functions up
    gateway.forwardTo(functions.port)
    log(`docs       ${gateway.url}/docs`)
    return {
      url: gateway.url,
      table: { endpoint, name: tableName },
      tokenFor: issuer.tokenFor,
      died: functions.died,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function prepareTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keep: boolean,
  log: LocalStackOptions['log'],
): Promise<void> {
  if (!keep) await dropTable(client, tableName)
  await createTable(client, tableName)
  if (await holdsProviders(client, tableName)) return log('data       kept from the last start')
  log(`data       ${sampleProviders.length} providers and ${sampleUsers.length} users as samples`)
  await putSampleItems(client, tableName)
}

/** Two checkouts, or two tests, may share one engine: each has its own table. */
const placeOf = (dataDirectory: string | undefined) =>
  createHash('sha256')
    .update(dataDirectory ?? randomUUID())
    .digest('hex')
    .slice(0, 12)

const functionsLog = (dataDirectory: string) => join(dataDirectory, 'functions.log')

function outputTo(dataDirectory: string | undefined): (text: string) => void {
  if (dataDirectory === undefined) return () => {}
  const path = functionsLog(dataDirectory)
  mkdirSync(dataDirectory, { recursive: true })
  writeFileSync(path, '')
  return text => appendFileSync(path, text)
}

const explainPort = (port: number) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE')
    throw new Error(`Port ${port} is taken: end what uses it, or choose another one with PORT=<number>.`)
  if (error.code === 'EACCES')
    throw new Error(`Port ${port} may not be used by this user; choose one above 1023 with PORT.`)
  throw error
}
