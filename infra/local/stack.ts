import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../lib/time.ts'
import { localAwsEnvironment } from '../dynamodb/client.ts'
import { explainPort } from '../listen.ts'
import { projectRoot } from '../project-root.ts'
import { routes } from '../serverless/service-definition.ts'
import { localSettings } from '../serverless/settings.ts'
import { docs } from './docs/docs.ts'
import { type Invoke, loadFunctions } from './functions/functions.ts'
import { startGateway } from './gateway/gateway.ts'
import { openIssuer, type TokenOptions } from './issuer.ts'
import { type Reloaded, reloadOnChange } from './reload.ts'
import { runOnSchedule } from './schedule.ts'
import { type Contents, type StartedTable, startTable, type TablePlace, tableNameFor } from './table.ts'

const sourceFolders = [join(projectRoot, 'functions'), join(projectRoot, 'lib')]

/** With port 0 it uses a free one. The data folder has the issuer's key, too. */
export interface LocalStackOptions extends TablePlace, Contents {
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
 * The service on this machine: gateway, functions, table and token issuer in one process.
 *
 * @throws Error of one sentence; everything that was started so far is stopped
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { port, dataDirectory, log, clock = systemClock } = options
  await using starting = new AsyncDisposableStack()

  const issuer = await openIssuer(dataDirectory)
  const tableName = tableNameFor(options)
  const settings = await localSettings({ issuers: issuer.trust, tableName })
  const timeoutMs = settings.timeoutSeconds * 1000
  const tableStarted = Promise.withResolvers<StartedTable>()
  const loaded = Promise.withResolvers<Reloaded<Invoke>>()
  const currentInvoke = async () => (await loaded.promise).current()
  // The gateway starts first, because it finds out whether the port is free. Early requests wait for the functions.
  const gateway = await startGateway({
    port,
    routes,
    deprecation: settings.deprecation,
    async ready() {
      const invoke = await currentInvoke()
      return (deployed, event) =>
        invoke({ deployed, event, requestId: event.requestContext.requestId, timeoutMs })
    },
    pages: docs(issuer.tokenFor, tableStarted.promise),
    log,
  }).catch(explainPort(port, 'PORT=NUMBER'))
  starting.defer(gateway.stop)

  const table = await startTable(tableName, options, clock, starting, log)
  tableStarted.resolve(table)

  log('build      bundling the functions')
  const variables = {
    ...settings.environment,
    ...localAwsEnvironment,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
  }
  const folder = join(projectRoot, '.build/local', new URL(gateway.url).port)
  const removeBuilds = () => rm(folder, { recursive: true, force: true })
  await removeBuilds() // of a stack that was killed
  starting.defer(removeBuilds)
  const load = () => loadFunctions({ folder, variables })
  const sources = await reloadOnChange(sourceFolders, load, log)
  starting.defer(sources.settled)
  loaded.resolve(sources)
  const runs = { everyMs: settings.finishEveryMs, timeoutMs: settings.finishTimeoutSeconds * 1000 }
  starting.defer(runOnSchedule(async call => (await currentInvoke())(call), runs, clock, log))
  starting.defer(gateway.stop) // first of all: nothing is answered while the rest stops
  log(`docs       ${gateway.url}/docs`)
  const started = starting.move()
  return {
    url: gateway.url,
    table: { endpoint: table.endpoint, name: tableName },
    hasSampleData: table.contents.hasSampleData,
    tokenFor: issuer.tokenFor,
    stop: () => started.disposeAsync(),
  }
}
