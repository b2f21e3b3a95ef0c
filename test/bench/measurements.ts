import type { Table } from './side.ts'

/** Begins with an empty table. @returns takes a sample, in milliseconds of CPU time */
type Prepare = (table: Table, running: AsyncDisposableStack) => Promise<() => Promise<number>>

const list =
  (providers: number): Prepare =>
  async (table, running) => {
    for (let id = 1; id <= providers; id++) await table.addProvider(id, 0)
    const answer = await table.start('list-saml-providers', running)
    // Small requests are measured several at a time.
    const several = Array.from({ length: Math.ceil(50 / providers) }, () => undefined)
    return () => answer(several, providers)
  }

const removal =
  (users: number): Prepare =>
  async (table, running) => {
    const answer = await table.start('delete-saml-provider', running)
    let last = 0
    return async () => {
      const ids = Array.from({ length: users < 100 ? 5 : 1 }, () => ++last)
      for (const id of ids) await table.addProvider(id, users)
      return answer(ids, users)
    }
  }

/** From the loading of the function to its first answer: a list of none, or a DELETE of no users. */
const coldStart =
  (name: Parameters<Table['start']>[0], providerId?: number): Prepare =>
  async table =>
  async () => {
    await using started = new AsyncDisposableStack()
    if (providerId !== undefined) await table.addProvider(providerId, 0)
    const answer = await table.start(name, started)
    return await answer([providerId], 0)
  }

/** The turns of the warm-up last until the code is compiled. */
export const measurements = [
  ...[10, 100, 1000].map(n => ({ name: `list of ${n}`, warmUpTurns: 80, turns: 55, prepare: list(n) })),
  ...[0, 25].map(n => ({ name: `DELETE of ${n} users`, warmUpTurns: 20, turns: 21, prepare: removal(n) })),
  ...[100, 1000].map(n => ({ name: `DELETE of ${n} users`, warmUpTurns: 5, turns: 21, prepare: removal(n) })),
  { name: 'cold start, list', warmUpTurns: 1, turns: 21, prepare: coldStart('list-saml-providers') },
  { name: 'cold start, DELETE', warmUpTurns: 1, turns: 21, prepare: coldStart('delete-saml-provider', 1) },
]
