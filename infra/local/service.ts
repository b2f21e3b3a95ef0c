import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../../lib/config.ts'
import { deprecationHeaders } from '../../lib/http/deprecation.ts'
import { type Clock, systemClock } from '../../lib/time.ts'
import { localAwsEnvironment } from '../dynamodb/client.ts'
import { explainPort } from '../listen.ts'
import { projectRoot } from '../project-root.ts'
import { localSettings, routes, schedule } from '../serverless/service-definition.ts'
import type { Parameters } from '../serverless/template-parameters.ts'
import { docs } from './docs/docs.ts'
import { type Invoke, loadFunctions } from './functions/functions.ts'
import { startGateway } from './gateway/gateway.ts'
import { openIssuer, type TokenOptions } from './issuer.ts'
import { reloadOnChange } from './reload.ts'
import { runOnSchedule } from './schedule.ts'
import { type LocalTable, type StoredProvider, startTable, type TableOptions } from './table.ts'

const sourceFolders = [join(projectRoot, 'functions'), join(projectRoot, 'lib')]

export interface LocalServiceOptions extends TableOptions {
  /** 0 selects a free one. */
  port: number
  /** Those of serverless.yml that have other values here; the table's name is saml-providers-local by default. */
  parameters?: Parameters
  /** The folder of the issuer's key; without it each start has a new key. */
  keyFolder?: string
  log: (line: string) => void
  /** Default: the system's. */
  clock?: Clock
}

export interface LocalService {
  url: string
  table: LocalTable
  /** The first provider that can be removed. */
  removable: StoredProvider | undefined
  tokenFor(options?: TokenOptions): Promise<string>
  stop(): Promise<void>
}

/**
 * The service on this machine: gateway, functions, table and token issuer in one process.
 *
 * @throws Error of one sentence; everything that was started so far is stopped
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { port, parameters = {}, log, clock = systemClock } = options
  const { tableName = 'saml-providers-local' } = parameters
  await using starting = new AsyncDisposableStack()

  const issuer = await openIssuer(options.keyFolder)
  const settings = localSettings({ issuers: issuer.trust, tableName, ...parameters })
  const timeoutMs = settings.timeoutSeconds * 1000
  const tableStarted = Promise.withResolvers<LocalTable>()
  const loaded = Promise.withResolvers<() => Promise<Invoke>>()
  const currentInvoke = async () => (await loaded.promise)()
  // The gateway starts first, because it finds out whether the port is free. Early requests wait for the functions.
  const gateway = await startGateway({
    port,
    routes,
    deprecation: deprecationHeaders(readConfig(settings.environment).deprecation),
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
  await removeBuilds() // of a service that was killed
  starting.defer(removeBuilds)
  const current = await reloadOnChange(sourceFolders, () => loadFunctions({ folder, variables }), log)
  loaded.resolve(current)
  starting.defer(runOnSchedule(async call => (await current())(call), schedule, clock, log))
  starting.defer(gateway.stop) // first of all: nothing is answered while the rest stops
  const removable = (await table.providers()).find(({ state }) => state === 'active')
  const started = starting.move()
  return {
    url: gateway.url,
    table,
    removable,
    tokenFor: issuer.tokenFor,
    stop: () => started.disposeAsync(),
  }
}
