import { bareCalls, bareRemoval, sdkClients } from './bare-calls.ts'
import { benchTable } from './bench-table.ts'
import { cpuMs, type Figure, inTurns } from './measured.ts'
import { endpoints, streaming } from './one-process.ts'

/** Of 1,000 users and more: fewer are mostly the calls before and after the batches. */
const compressedGoal = 1.4

/** Until the code is compiled, it takes up to twice as long: for some 5,000 users. */
const warmUpUsers = 1000
const warmUpRounds = 5

const usersOf = (count: number) => `${count} ${count === 1 ? 'user' : 'users'}`

/**
 * Removals of some sizes, with users of 2.7 KB, from the request to the last byte of the list, and the same DELETE again.
 * Floors, by the SDK's plain client: all calls of a removal, with the same batches; the reads for the repeat; and, of 1,000
 * users and more, 25 UpdateItems at once. The same batches by the document client stand beside the first.
 */
export async function* measureRemoval(sizes: readonly number[], rounds: number): AsyncGenerator<Figure> {
  const bench = await benchTable()
  const { client, endpoint, tableName, fill } = bench
  const { remove } = endpoints(client, tableName, streaming)
  const clients = sdkClients(endpoint)
  const bare = bareCalls(clients, tableName, 'plain')
  let providerId = 10
  const removals = (users: number) => {
    const perUser = async (work: () => Promise<unknown>) => ((await cpuMs(work)) * 1000) / users
    const filled = async () => {
      providerId += 10
      return { id: providerId, userIds: await fill(providerId, users) }
    }
    const removedBy = (calls: typeof bare) => async () => {
      const { id, userIds } = await filled()
      return perUser(() => bareRemoval(calls, userIds, id))
    }
    const removedIn = (coding: string) => async () => {
      const { id } = await filled()
      return perUser(() => remove(id, [['Accept-Encoding', coding]]))
    }
    return { perUser, filled, removedBy, removedIn }
  }
  const warmUp = removals(warmUpUsers)
  await inTurns(warmUpRounds, warmUp.removedBy(bare), warmUp.removedIn('br'))

  for (const users of sizes) {
    const unit = 'µs/user'
    const { perUser, filled, removedBy, removedIn } = removals(users)
    const turns = users < 1000 ? rounds * 3 : rounds
    const compressed = await inTurns(turns, removedBy(bare), removedIn('br'))
    yield {
      name: `remove ${usersOf(users)}, br / its calls`,
      unit,
      ...compressed,
      ...(users >= 1000 && { target: compressedGoal }),
    }
    const removal = await inTurns(turns, removedBy(bare), removedIn('identity'))
    yield { name: `remove ${usersOf(users)} / its calls`, unit, ...removal }
    yield {
      name: `calls of remove ${usersOf(users)}, document client / plain`,
      unit,
      ...(await inTurns(turns, removedBy(bare), removedBy(bareCalls(clients, tableName, 'document')))),
    }
    const { id, userIds } = await filled()
    await remove(id)
    const repeat = await inTurns(
      turns,
      () =>
        perUser(async () => {
          await bare.find(id)
          await bare.members(id)
          await bare.read(userIds)
        }),
      () => perUser(() => remove(id)),
    )
    yield { name: `the same DELETE again, ${usersOf(users)} / its reads`, unit, ...repeat }
    if (users < 1000) continue
    const floor: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      const of = await filled()
      floor.push(await perUser(() => bare.update(of.userIds, of.id)))
    }
    yield { name: `remove ${usersOf(users)} / UpdateItems`, unit, floor, ours: removal.ours, target: 0.2 }
  }
  clients.plain.destroy()
  await bench.close()
}
