import { randomUUID } from 'node:crypto'
import { fetchJson } from './auth/keys/fetch-json.ts'
import { type TokenVerifier, tokenVerifier } from './auth/verifier.ts'
import { type Clock, systemClock, rateLimit } from './time.ts'
import type { Config } from './config.ts'
import { reasonOf } from './domain/failure.ts'
import type { ProviderRecord } from './domain/provider.ts'
import type { CallingUser, SamlProvider } from './domain/resources.ts'
import { jsonLines, type Log } from './log.ts'
import type { Affected } from './removal/affected.ts'
import { finishRemovals, type ScheduledRun } from './removal/finish-removals.ts'
import { removeProvider } from './removal/remove-provider.ts'
import type { RemovalContext } from './removal/ports.ts'
import { openClient } from './store/client.ts'
import { findProvider, listProviders } from './store/providers.ts'
import { removalStore } from './store/removals.ts'
import { type Broken, openTable } from './store/table.ts'
import { findCaller } from './store/users.ts'

/** The dependencies of the functions; created once per execution environment. */
export interface Deps {
  config: Config
  clock: Clock
  log: Log
  verifyToken: TokenVerifier
  listProviders(signal: AbortSignal): Promise<SamlProvider[]>
  findProvider(id: number, signal: AbortSignal): Promise<ProviderRecord | undefined>
  findCaller(id: string, signal: AbortSignal): Promise<CallingUser | undefined>
  removeProvider(found: ProviderRecord, context: RemovalContext): Promise<Affected>
  finishRemovals(run: ScheduledRun): Promise<void>
}

/** The real adapters to everything outside the process: system clock, standard output, DynamoDB, HTTPS. */
export const systemAdapters = () => ({
  clock: systemClock,
  log: jsonLines(line => process.stdout.write(line), systemClock.nowMs),
  client: openClient(),
  fetchJson,
  newId: randomUUID,
})

type SystemAdapters = ReturnType<typeof systemAdapters>

/** The minimum interval between two log lines about items that break the rules of the table. */
const brokenEveryMs = 300_000

/** Connects the domain with its adapters. */
export function createDeps(config: Config, { clock, log, client, fetchJson, newId }: SystemAdapters): Deps {
  const onBroken = rateLimit(clock, brokenEveryMs, (items: Broken) => log('table_rule_broken', { ...items }))
  const table = openTable(client, config.tableName, clock, onBroken)
  const removal = { store: removalStore(table), clock, newId, retentionMs: config.retentionMs }
  return {
    config,
    clock,
    log,
    verifyToken: tokenVerifier(config.issuers, clock, fetchJson, (issuer, cause) =>
      log('key_fetch_failed', { issuer, reason: reasonOf(cause) }),
    ),
    listProviders: signal => listProviders(table, signal),
    findProvider: (id, signal) => findProvider(table, id, signal),
    findCaller: (id, signal) => findCaller(table, id, signal),
    removeProvider: (found, context) => removeProvider(removal, found, context),
    finishRemovals: run => finishRemovals(removal, config.maxWaitMs, run),
  }
}
