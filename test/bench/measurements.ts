import { eventOf } from './caller.ts'
import type { Measurement } from './in-turns.ts'
import type { FunctionName } from './side.ts'

const list = (providers: number): Measurement => ({
  name: `list of ${providers.toLocaleString('en')}`,
  warmUpRounds: 80,
  rounds: 55,
  async prepare(side, running) {
    const table = await side.openTable(running)
    for (let id = 1; id <= providers; id++) await table.addProvider(id, 0)
    const answer = await table.start('list-saml-providers', running)
    // Small requests are measured several at a time.
    const times = Math.ceil(50 / providers)
    return () => {
      const events = Array.from({ length: times }, () => eventOf())
      return answer(events, providers)
    }
  },
})

const removal = (users: number): Measurement => ({
  name: `DELETE of ${users.toLocaleString('en')} users`,
  warmUpRounds: users < 100 ? 30 : 5,
  rounds: 11,
  async prepare(side, running) {
    const table = await side.openTable(running)
    const answer = await table.start('delete-saml-provider', running)
    let last = 0
    return async () => {
      const ids = Array.from({ length: users < 100 ? 3 : 1 }, () => ++last)
      for (const id of ids) await table.addProvider(id, users)
      return answer(ids.map(eventOf), users)
    }
  },
})

/** From the loading of the function to its first answer: an empty list, or a DELETE of no users. */
const coldStart = (name: string, endpoint: FunctionName, providerId?: number): Measurement => ({
  name: `cold start, ${name}`,
  warmUpRounds: 1,
  rounds: 21,
  async prepare(side, running) {
    const table = await side.openTable(running)
    return async () => {
      await using started = new AsyncDisposableStack()
      if (providerId !== undefined) await table.addProvider(providerId, 0)
      const answer = await table.start(endpoint, started)
      return await answer([eventOf(providerId)], 0)
    }
  },
})

export const measurements: Measurement[] = [
  ...[10, 100, 1000].map(list),
  ...[0, 25, 100, 1000].map(removal),
  coldStart('list', 'list-saml-providers'),
  coldStart('DELETE', 'delete-saml-provider', 1),
]
