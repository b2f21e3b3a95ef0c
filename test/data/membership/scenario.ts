import { randomUUID } from 'node:crypto'
import { transactor } from '../../../infra/data/table/transact.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import { openTable } from '../../../lib/store/table.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { scenario as dataScenario, itemsOf, never } from '../scenario.ts'
import { writers } from './writers.ts'

/** Provider 7 of SSO provider 70 and provider 8 without an SSO provider. */
export const providers = [sampleProvider(7, 70), sampleProvider(8)]

/** A table with providers, users 1, 2, 3 with these links, and their writers. */
export async function scenario(users: Links[], stored = providers) {
  const w = await dataScenario()
  const people = users.map((links, n) => sampleUser(n + 1, links))
  await w.put(...itemsOf(stored, people))

  const table = openTable(w.client, w.tableName, w.clock)
  const transact = transactor(w.client, w.tableName, w.clock, randomUUID)
  const { move, erase } = writers({ table, transact, clock: w.clock })
  return {
    ...w,
    table,
    move: (n: number, links: Links) => w.clock.moving(move(userId(n), links)),
    erase: (n: number) => w.clock.moving(erase(userId(n))),
    begin: (providerId: number) =>
      removalStore(table).begin(providerId, { id: 'r', startedAtMs: 0, retainedUntil: 4e9 }, 'test', never),
  }
}

/** The error of a transaction that is cancelled for these reasons. */
export const cancelled = (...codes: string[]) =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map(Code => ({ Code })),
  })

/** A change by a writer: a user, and the links afterwards; or a provider whose removal begins. */
export type Action = ['move', number, Links] | ['erase' | 'begin', number]

export const act = (s: Awaited<ReturnType<typeof scenario>>, [name, ...args]: Action): Promise<unknown> =>
  (s[name] as (...args: unknown[]) => Promise<unknown>)(...args)
