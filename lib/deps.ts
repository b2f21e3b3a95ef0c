import { randomUUID } from 'node:crypto'
import { fetchJson } from './auth/keys/fetch-json.ts'
import { tokenVerifier } from './auth/verifier.ts'
import { type Clock, systemClock } from './time.ts'
import type { Config } from './config.ts'
import type { ProviderRecord } from './domain/provider.ts'
import { jsonLines, type Log } from './log.ts'
import { finishRemovals, type ScheduledRun } from './removal/finish-removals.ts'
import { removeProvider } from './removal/remove-provider.ts'
import type { RemovalContext } from './removal/ports.ts'
import { openClient } from './store/client.ts'
import { findProvider, listProviders } from './store/providers.ts'
import { removalStore } from './store/removals.ts'
import { type Broken, openTable } from './store/table.ts'
import { findCaller } from './store/users.ts'

/** The real adapters to everything outside the process: system clock, standard output, DynamoDB, HTTPS. */
export const systemAdapters = () => ({
  clock: systemClock,
  log: jsonLines(line => process.stdout.write(line), systemClock.nowMs),
  client: openClient(),
  fetchJson,
  newId: randomUUID,
})

type SystemAdapters = ReturnType<typeof systemAdapters>

/** The dependencies of the functions; created once per execution environment. */
export type Deps = ReturnType<typeof createDeps>

/** Connects the domain with its adapters. */
export function createDeps(config: Config, { clock, log, client, fetchJson, newId }: SystemAdapters) {
  const table = openTable(client, config.tableName, clock, brokenItemsLog(clock, log))
  const removal = { store: removalStore(table), clock, newId, retentionMs: config.retentionMs }
  return {
    config,
    clock,
    log,
    verifyToken: tokenVerifier(config.issuers, { clock, fetchJson }),
    listProviders: (signal: AbortSignal) => listProviders(table, signal),
    findProvider: (id: number, signal: AbortSignal) => findProvider(table, id, signal),
    findCaller: (id: string, signal: AbortSignal) => findCaller(table, id, signal),
    removeProvider: (found: ProviderRecord, context: RemovalContext) =>
      removeProvider(removal, found, context),
    finishRemovals: (run: ScheduledRun) => finishRemovals(removal, config.maxWaitMs, run),
  }
}

const brokenEveryMs = 300_000

/** Logs items that break the rules of the table, once in five minutes at most: each read of them finds them again. */
function brokenItemsLog(clock: Clock, log: Log): (items: Broken) => void {
  let silentUntilMs = 0
  return items => {
    if (clock.nowMs() < silentUntilMs) return
    silentUntilMs = clock.nowMs() + brokenEveryMs
    log('table_rule_broken', { ...items })
  }
}
