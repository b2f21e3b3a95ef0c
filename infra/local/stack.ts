import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../lib/time.ts'
import { buildFunctions } from '../build.ts'
import { sentenceOf } from '../command-line/sentence-of.ts'
import { connectTo, localAwsEnvironment } from '../dynamodb/client.ts'
import { assertAnswers, explainEngine } from '../dynamodb/endpoint.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { dropTable } from '../resources/table.ts'
import { projectRoot } from '../project-root.ts'
import { routes, scheduledFunctions } from '../serverless/service-definition.ts'
import { localSettings } from '../serverless/settings.ts'
import { acquireLock } from './lock.ts'
import { docs } from './docs/docs.ts'
import { startGateway } from './gateway/gateway.ts'
import { openIssuer, type TokenOptions } from './issuer.ts'
import { type Functions, startFunctions } from './lambda/functions.ts'
import { explainPort } from '../listen.ts'
import { reloadOnChange, type Sources, stateOf } from './reload.ts'
import { runOnSchedule } from './schedule.ts'
import { type Contents, prepareTable, tableNameFor } from './table.ts'

const sourceFolders = [join(projectRoot, 'functions'), join(projectRoot, 'lib')]

export interface LocalStackOptions extends Contents {
  /** 0 selects a free port. */
  port: number
  /** The URL of a running DynamoDB; without it the embedded one is started. */
  dynamodbEndpoint?: string | undefined
  /** The folder of the issuer's key, the functions' log and kept data; without it nothing is stored. */
  dataDirectory?: string
  /** Build and load the functions again when one of their files changes. */
  reload?: boolean
  log: (line: string) => void
  /** Default: the system's. */
  clock?: Clock
}

export interface LocalStack {
  url: string
  /** The table of the functions. */
  table: { endpoint: string; name: string }
  /** False for kept data and an empty table. */
  hasSampleData: boolean
  tokenFor(options?: TokenOptions): Promise<string>
  stop(): Promise<void>
}

/**
 * The service on this machine: gateway, functions, table and token issuer.
 *
 * @throws Error of one sentence; everything that was started so far is stopped
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { port, dynamodbEndpoint, dataDirectory, keep, reload, log, clock = systemClock } = options
  await using starting = new AsyncDisposableStack()

  const issuer = await openIssuer(dataDirectory)
  const tableName = tableNameFor(dataDirectory)
  const settings = await localSettings({ issuers: issuer.trust, tableName })
  const loaded = Promise.withResolvers<{ functions: Functions; sources: Sources | undefined }>()
  // The gateway starts first, because it finds out whether the port is free. Early requests wait for the functions.
  const gateway = await startGateway({
    port,
    routes,
    deprecation: settings.deprecation,
    ready: async () => (await loaded.promise).sources?.current(),
    invoke: async (route, event) =>
      (await loaded.promise).functions.invoke(route, event, event.requestContext.requestId),
    pages: docs(issuer.tokenFor),
    log,
  }).catch(explainPort(port, 'PORT=NUMBER'))
  starting.defer(gateway.stop)

  log('build      bundling the functions')
  const builtFrom = stateOf(sourceFolders)
  await buildFunctions()

  const kept =
    keep && dynamodbEndpoint === undefined && dataDirectory !== undefined
      ? join(dataDirectory, 'dynamodb')
      : undefined
  let endpoint = dynamodbEndpoint
  if (endpoint === undefined) {
    if (kept !== undefined) starting.defer(acquireLock(kept))
    const engine = await startEngine({ path: kept })
    starting.defer(engine.stop)
    endpoint = engine.endpoint
  }
  const kind = dynamodbEndpoint === undefined ? 'an embedded DynamoDB' : 'the DynamoDB'
  log(`table      ${tableName} in ${kind} at ${endpoint}${kept ? `, kept in ${kept}` : ''}`)
  const client = connectTo(endpoint)
  const hasSampleData = await assertAnswers(client, clock)
    .then(() => prepareTable(client, tableName, options, log))
    .catch(explainEngine(`at ${endpoint}`))
  if (dynamodbEndpoint !== undefined && !keep)
    starting.defer(() => dropTable(client, tableName).catch(() => {}))

  const functions = await startFunctions({
    root: projectRoot,
    handlers: [...routes, ...scheduledFunctions].map(({ handler }) => handler),
    variables: { ...settings.environment, ...localAwsEnvironment, AWS_ENDPOINT_URL_DYNAMODB: endpoint },
    timeoutMs: settings.timeoutSeconds * 1000,
    clock,
    output: functionsLog(dataDirectory, log),
  })
  starting.defer(functions.stop)
  const watched = { folders: sourceFolders, builtFrom, build: buildFunctions, load: functions.reload }
  const sources = reload ? reloadOnChange({ ...watched, log }) : undefined
  starting.defer(async () => sources?.stop())
  loaded.resolve({ functions, sources })
  const runs = { everyMs: settings.finishEveryMs, timeoutMs: settings.finishTimeoutSeconds * 1000 }
  starting.defer(runOnSchedule(functions, runs, clock, log))
  log(`docs       ${gateway.url}/docs`)
  const started = starting.move()
  return {
    url: gateway.url,
    table: { endpoint, name: tableName },
    hasSampleData,
    tokenFor: issuer.tokenFor,
    stop: () => started.disposeAsync(),
  }
}

/** Writes the functions' log. When it cannot be written, that is logged once, and the text is lost. */
function functionsLog(
  dataDirectory: string | undefined,
  log: LocalStackOptions['log'],
): (text: string | Buffer) => void {
  if (dataDirectory === undefined) return () => {}
  const path = join(dataDirectory, 'functions.log')
  mkdirSync(dataDirectory, { recursive: true })
  writeFileSync(path, '')
  log(`functions  log in ${path}`)
  let isWritable = true
  return text => {
    try {
      appendFileSync(path, text)
      isWritable = true
    } catch (error) {
      if (isWritable) log(`functions  ${sentenceOf(Object.assign(error as Error, { path }))}`)
      isWritable = false
    }
  }
}
