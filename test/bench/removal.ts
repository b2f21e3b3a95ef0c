import { bareCalls, bareRemoval, dialects } from './bare-calls.ts'
import { benchTable } from './bench-table.ts'
import { cpuMs, type Figure, inTurns } from './measured.ts'
import { endpoints, streaming } from './one-process.ts'

/**
 * Removals of some sizes, from the request to the last byte of the list, and the same DELETE again. Floors, by the plain
 * client: bare batches that unlink, mark and read; bare reads for the repeat; and, of 1,000 users and more, 25
 * UpdateItems at once. The same batches by the document client stand beside the first.
 */
export async function* measureRemoval(sizes: readonly number[], rounds: number): AsyncGenerator<Figure> {
  const bench = await benchTable()
  const { client, tableName, fill } = bench
  const { remove } = endpoints(client, tableName, streaming)
  const bare = bareCalls(client, tableName, dialects.plain)
  const documents = bareCalls(client, tableName, dialects.document)
  let providerId = 10
  for (const users of sizes) {
    const unit = users === 0 ? 'ms CPU' : 'µs/user'
    const perUser = async (work: () => Promise<unknown>) =>
      (await cpuMs(work)) * (users === 0 ? 1 : 1000 / users)
    const filled = async () => {
      providerId += 10
      return { id: providerId, userIds: await fill(providerId, users) }
    }
    const removedBy = (calls: typeof bare) => async () => {
      const { id, userIds } = await filled()
      return perUser(() => bareRemoval(calls, userIds, id))
    }
    const turns = users < 1000 ? rounds * 3 : rounds
    yield {
      name: `batches of remove ${users} users, document client / plain`,
      unit,
      ...(await inTurns(turns, removedBy(bare), removedBy(documents))),
    }
    const removal = await inTurns(turns, removedBy(bare), async () => {
      const { id } = await filled()
      return perUser(() => remove(id))
    })
    yield { name: `remove ${users} users / bare batches`, unit, ...removal }
    if (users === 0) continue
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
    yield { name: `the same DELETE again, ${users} users / bare reads`, unit, ...repeat }
    if (users < 1000) continue
    const floor: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      const of = await filled()
      floor.push(await perUser(() => bare.update(of.userIds, of.id)))
    }
    yield { name: `remove ${users} users / UpdateItems`, unit, floor, ours: removal.ours, target: 0.2 }
  }
  await bench.close()
}
