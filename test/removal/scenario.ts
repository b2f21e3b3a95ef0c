import { randomUUID } from 'node:crypto'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll } from 'vitest'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { isKnown, isLinked, type ProviderRecord } from '../../lib/domain/provider.ts'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import { chunk } from '../../lib/concurrency.ts'
import { finishRemovals } from '../../lib/removal/finish-removals.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import type { Log, LogEvent } from '../../lib/log.ts'
import type { Member, RemovalStore } from '../../lib/removal/ports.ts'
import { membershipItem, type Item, providerItem, providerRecordOf, userItem } from '../../lib/store/items.ts'
import { type Key, providerKey } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable, type Table } from '../../lib/store/table.ts'
import { transactor } from '../../infra/data/transact.ts'
import { timeLimit } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { putItems } from '../support/put-items.ts'
import { type Links, sampleProvider, sampleUser } from '../support/samples.ts'
import { openTestClient } from '../support/test-client.ts'
import { injectFaults } from './faults.ts'

/** A mistake planted into the store: returns the store with the mistake. */
export type Mistake = (store: RemovalStore, table: Table) => RemovalStore

export type Logged = { event: LogEvent } & Record<string, unknown>

/** The maximum duration of a request. */
export const requestMaxMs = 28_000

/** The duration of a scheduled run. */
export const runMs = 295_000

/** The answer to a DELETE: the ids of the affected users, or that there is no such provider. */
export type Answer = string[] | 'provider_not_found'

export interface State {
  provider: ProviderRecord | undefined
  /** The provider's `expires_at`, by which TTL deletes it. */
  expiresAt: unknown
  members: Member[]
  users: User[]
}

const never = new AbortController().signal
/** Scenarios share neither providers nor users, so that one table is enough for all. */
let scenarioCount = 0

/**
 * A function that makes scenarios in one table, which all tests of a file share.
 *
 * @param callMs duration of each call to the table on the clock, in milliseconds
 */
export function scenarioFactory(callMs = 0) {
  const clock = fakeClock()
  const client = openTestClient(clock, callMs)
  const tableName = `removal-${randomUUID()}`
  const table = openTable(client, tableName, clock)
  injectFaults(client)
  beforeAll(() => clock.moving(createTable(client, tableName)))
  afterAll(async () => {
    await clock.moving(dropTable(client, tableName))
    client.destroy()
  })

  const put = (items: Item[]) => clock.moving(putItems(client, tableName, items))

  let key: Key | undefined

  /**
   * A provider with `count` members, linked in all three ways. It is the only provider in the table: the previous one
   * is deleted, because the writers and the scheduled function read all providers.
   */
  return async function scenario(count: number) {
    const deleteItem = (Key: Key) =>
      clock.moving(client.send(new DeleteCommand({ TableName: tableName, Key })))
    if (key !== undefined) await deleteItem(key)
    const base = ++scenarioCount * 20_000
    key = providerKey(base)
    const provider = sampleProvider(base, base + 1)
    const ways: Links[] = [{ saml: base, sso: base + 1 }, { saml: base }, { sso: base + 1 }]
    const users = Array.from({ length: count }, (_, n) => sampleUser(base + n, ways[n % 3]))
    await put([
      ...users.map(userItem),
      ...users.map(user => membershipItem(base, user.id)),
      providerItem(provider, count),
    ])
    const real = removalStore(table)

    const ports = (store: RemovalStore) => ({ store, clock, newId: randomUUID, retentionMs: 7 * 86_400_000 })
    const remove = async (store: RemovalStore, signal: AbortSignal): Promise<Answer> => {
      const found = await store.find(base, signal)
      if (found === undefined || !isKnown(found, clock.nowMs())) return 'provider_not_found'
      try {
        const context = { requestedBy: 'test', log: () => {}, signal }
        const pages = await removeProvider(ports(store), found, context)
        return ids((await Array.fromAsync(pages)).flat())
      } catch (error) {
        if (error instanceof Failure && error.code === 'provider_not_found') return error.code
        throw error
      }
    }

    return {
      provider,
      users,
      table,
      clock,
      put,
      delete: deleteItem,
      read: (key: Key) => table.get(key, never),
      memberships: { table, transact: transactor(client, tableName, clock, randomUUID) },
      findUser: async (userId: string) => (await real.users([userId], never))[0],
      /** One DELETE, from the lookup of the provider to the last user. */
      attempt: (mistake: Mistake = store => store, signal = never): Promise<Answer> =>
        clock.moving(remove(mistake(real, table), signal)),
      /** One run of the scheduled function. */
      run: (mistake: Mistake = store => store, signal = never, logged: Logged[] = []): Promise<Logged[]> => {
        const log: Log = (event, facts) => logged.push({ event, ...facts })
        const endsAtMs = clock.nowMs() + runMs
        const limit = timeLimit(clock, endsAtMs, () => new Failure('wait_expired'), signal)
        const run = { log, signal: limit.signal, endsAtMs }
        const finished = finishRemovals(ports(mistake(real, table)), requestMaxMs, run)
        return clock.moving(finished.then(() => logged).finally(() => limit.end()))
      },
      async state(): Promise<State> {
        const reads = Promise.all([
          table.get(providerKey(base), never),
          real.members(base, never),
          Array.fromAsync(chunk(ids(users), 100), batch => real.users(batch, never)).then(pages =>
            pages.flat(),
          ),
        ])
        const [found, members, stored] = await clock.moving(reads)
        return {
          provider: found && providerRecordOf(found),
          expiresAt: found?.expires_at,
          members,
          users: stored,
        }
      },
    }
  }
}

export type Scenario = Awaited<ReturnType<ReturnType<typeof scenarioFactory>>>

const ids = (users: User[]) => users.map(user => user.id)

export const linkedIds = (provider: SamlProvider, users: User[]) =>
  ids(users.filter(user => isLinked(user, provider)))
