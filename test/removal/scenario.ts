import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { type ProviderRecord, isKnown, isLinked } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import type { Log, LogEvent } from '../../lib/log.ts'
import { finishRemovals } from '../../lib/removal/finish-removals.ts'
import type { Member } from '../../lib/removal/ports.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { isMarked, type Item, providerRecordOf, userOf } from '../../lib/store/items.ts'
import { memberIdOf, membershipsOf, providers } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { timeLimit } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { allItems, putItems, replaceItems } from '../support/put-items.ts'
import { type Links, sampleProvider, sampleUser } from '../support/samples.ts'
import { Crash } from './fates.ts'
import { openOwnClient, type Plan, withPlan } from '../support/test-client.ts'

/** A table for the tests of a file, whose calls a plan can change. */
function tableOfFile() {
  const clock = fakeClock()
  const client = openOwnClient(clock)
  const tableName = `removal-${randomUUID()}`
  beforeAll(() => clock.moving(createTable(client, tableName)))
  afterAll(async () => {
    await clock.moving(dropTable(client, tableName))
  })
  return {
    clock,
    client,
    tableName,
    /** The product's table, as a new execution environment opens it. */
    open: () => openTable(client, tableName, clock),
    put: (items: Item[]) => clock.moving(putItems(client, tableName, items)),
    replace: (items: Item[]) => clock.moving(replaceItems(client, tableName, items)),
    items: () => clock.moving(allItems(client, tableName)),
  }
}

/** Runs the work with at most so many memberships in a page of a Query. */
const inPages = <T>(pageSize: number | undefined, work: () => Promise<T>): Promise<T> =>
  withPlan(
    ({ operation, body, send }) =>
      operation === 'Query' && JSON.stringify(body).includes('SAML_PROVIDER#')
        ? send({ ...body, Limit: pageSize })
        : send(),
    work,
  )

export type Logged = { event: LogEvent } & Record<string, unknown>

/** The maximum duration of a request. */
export const requestMaxMs = 28_000
/** The duration of a scheduled run. */
export const runMs = 295_000

/** The answer to a DELETE: the ids of the affected users, or that there is no such provider. */
export type Answer = string[] | 'provider_not_found'

/** The table at one moment. */
export interface State {
  /** The provider's item, with all attributes. */
  item: Item
  provider: ProviderRecord | undefined
  members: Member[]
  users: User[]
  /** The ids of the users who are linked to the provider. */
  linked: string[]
}

/** Attributes that replace those of the provider, and of the first membership; and the links of the users, in turns. */
export interface Start {
  provider?: Item
  membership?: Item
  links?: readonly Links[]
}

const id = 7000
const sso = 7001
/** The ways in which a user is linked to the provider alone. */
export const linksToOne = [{ saml: id, sso }, { saml: id }, { sso }] as const
/** The ways in which a user is linked to another provider, too. */
export const linksToTwo = [
  { saml: id, sso: 9 },
  { saml: 9, sso },
] as const
const never = new AbortController().signal

/**
 * A function that makes scenarios, one after another, in one table that all tests of a file share.
 *
 * @param pageSize memberships in a page of a Query; by default as many as the engine returns
 */
export function scenarioFactory(pageSize?: number) {
  const { clock, open, ...stored } = tableOfFile()

  /** A provider with `count` members, by default linked in all three ways, and a user without a link; nothing else is in the table. */
  return async function scenario(count: number, start: Start = {}) {
    const provider = sampleProvider(id, sso)
    const { links = linksToOne } = start
    const users = Array.from({ length: count }, (_, n) => sampleUser(n, links[n % links.length]))
    const newcomer = sampleUser(count)
    const memberships = users.map(user => membershipItem(id, user.id))
    await stored.replace([
      ...[...users, newcomer].map(userItem),
      ...memberships.map((item, n) => (n === 0 ? { ...item, ...start.membership } : item)),
      { ...providerItem(provider, count), ...start.provider },
    ])
    const table = open()
    const logged: Logged[] = []
    const ports = { store: removalStore(table), clock, newId: randomUUID, retentionMs: 7 * 86_400_000 }

    async function remove(signal: AbortSignal): Promise<Answer> {
      const found = await ports.store.find(id, signal)
      if (found === undefined || !isKnown(found, clock.nowMs())) return 'provider_not_found'
      try {
        const log: Log = (event, facts) => logged.push({ event, ...facts })
        const affected = await removeProvider(ports, found, { requestedBy: 'test', log, signal })
        const shown = (await Array.fromAsync(affected.pages)).flat()
        return shown.map(user => (isLinked(user, provider) ? `${user.id}, shown as linked` : user.id))
      } catch (error) {
        if (error instanceof Failure && error.code === 'provider_not_found') return error.code
        throw error
      }
    }

    return {
      ...stored,
      provider,
      users,
      newcomer,
      clock,
      table,
      /** What the DELETEs have logged. */
      logged,
      /** One DELETE, from the lookup of the provider to the last user. */
      attempt: (signal = never) => clock.moving(inPages(pageSize, () => remove(signal))),
      /** One run of the scheduled function. @param olderThanMs which removals it finishes */
      async run({ signal = never, logged = [] as Logged[], olderThanMs = requestMaxMs } = {}) {
        const log: Log = (event, facts) => logged.push({ event, ...facts })
        const endsAtMs = clock.nowMs() + runMs
        const limit = timeLimit(clock, endsAtMs, () => new Failure('wait_expired'), signal)
        const run = { log, signal: limit.signal, endsAtMs }
        const finishing = inPages(pageSize, () => finishRemovals(ports, olderThanMs, run))
        await clock.moving(finishing).finally(() => limit.end())
        return logged
      },
      async state(): Promise<State> {
        const items = await stored.items()
        const item = items.find(({ PK }) => PK === providers.PK) ?? {}
        const record = providerRecordOf(item)
        const all = items.filter(({ SK }) => SK === 'USER').map(userOf)
        return {
          item,
          provider: record,
          members: items
            .filter(({ PK }) => PK === membershipsOf(id).PK)
            .map(one => ({
              userId: memberIdOf(one) ?? '',
              isUnlinked: record !== undefined && isMarked(one, record),
            })),
          users: all,
          linked: idsOf(all.filter(user => isLinked(user, provider))),
        }
      },
    }
  }
}

export type Scenario = Awaited<ReturnType<ReturnType<typeof scenarioFactory>>>

export const idsOf = (users: User[]) => users.map(user => user.id)

/** Returns a function that makes a removal of `count` users that was abandoned after its tombstone, `agoMs` before now. */
export const abandonedIn =
  (makeScenario: ReturnType<typeof scenarioFactory>) =>
  async (count: number, agoMs = requestMaxMs + 1) => {
    const scenario = await makeScenario(count)
    const crash: Plan = async ({ n, send }) => {
      const reply = await send()
      if (n === 2) throw new Crash()
      return reply
    }
    await withPlan(crash, () => scenario.attempt()).catch(() => {})
    scenario.clock.advance(agoMs)
    return scenario
  }
