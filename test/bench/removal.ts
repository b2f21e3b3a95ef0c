import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { userKey } from '../../lib/store/keys.ts'
import { benchTable } from './bench-table.ts'
import { cpuMs, type Figure, inTurns } from './measured.ts'
import { endpoints, streaming } from './one-process.ts'

const batchesAtOnce = 16
const readsAtOnce = 4

/**
 * Removals of some sizes, from the request to the last byte of the list, and the same DELETE again. Floors, by the same
 * client: bare batches that unlink, mark and read; bare reads for the repeat; and, of 1,000 users and more, 25
 * UpdateItems at once.
 */
export async function* measureRemoval(sizes: readonly number[], rounds: number): AsyncGenerator<Figure> {
  const bench = await benchTable()
  const { client, tableName, fill } = bench
  const { remove } = endpoints(client, tableName, streaming)
  const bare = bareCalls(client, tableName)
  let providerId = 10
  for (const users of sizes) {
    const unit = users === 0 ? 'ms CPU' : 'µs/user'
    const perUser = async (work: () => Promise<unknown>) =>
      (await cpuMs(work)) * (users === 0 ? 1 : 1000 / users)
    const filled = async () => {
      providerId += 10
      return { id: providerId, keys: (await fill(providerId, users)).map(keyOf) }
    }
    const turns = users < 1000 ? rounds * 3 : rounds
    const removal = await inTurns(
      turns,
      async () => {
        const { id, keys } = await filled()
        return perUser(async () => {
          await bare.find(id)
          await bare.change(id)
          await bare.members(id)
          await bare.unlink(keys, id)
          await Promise.all([bare.change(id), bare.read(keys)])
        })
      },
      async () => {
        const { id } = await filled()
        return perUser(() => remove(id))
      },
    )
    yield { name: `remove ${users} users / bare batches`, unit, ...removal }
    if (users === 0) continue
    const { id, keys } = await filled()
    await remove(id)
    const repeat = await inTurns(
      turns,
      () =>
        perUser(async () => {
          await bare.find(id)
          await bare.members(id)
          await bare.read(keys)
        }),
      () => perUser(() => remove(id)),
    )
    yield { name: `the same DELETE again, ${users} users / bare reads`, unit, ...repeat }
    if (users < 1000) continue
    const floor: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      const of = await filled()
      floor.push(await perUser(() => bare.update(of.keys, of.id)))
    }
    yield { name: `remove ${users} users / UpdateItems`, unit, floor, ours: removal.ours, target: 0.2 }
  }
  await bench.close()
}

const keyOf = (id: string) => ({ PK: { S: userKey(id).PK }, SK: { S: 'USER' } })
type WireKey = ReturnType<typeof keyOf>

/** Calls with nothing around them: no retry, no check, no mapping. */
function bareCalls(client: Awaited<ReturnType<typeof benchTable>>['client'], tableName: string) {
  const at = () => ({ S: new Date().toISOString() })
  const N = (id: number) => ({ N: String(id) })
  const text = `UPDATE "${tableName}" SET updated_at = ? REMOVE saml_provider_id REMOVE sso_provider_id WHERE PK = ? AND SK = ? AND saml_provider_id = ? AND sso_provider_id = ?`
  const provider = (id: number) => ({
    TableName: tableName,
    Key: { PK: { S: 'SAML_PROVIDERS' }, SK: { S: `PROVIDER#${String(id).padStart(10, '0')}` } },
  })
  return {
    /** The provider, and beside it the caller. */
    find: (id: number) =>
      Promise.all([
        client.send(new GetItemCommand({ ...provider(id), ConsistentRead: true })),
        client.send(new GetItemCommand({ ...provider(0), ConsistentRead: true })),
      ]),
    change: (id: number) =>
      client.send(
        new UpdateItemCommand({
          ...provider(id),
          UpdateExpression: 'SET removed_at = :at',
          ConditionExpression: 'attribute_exists(PK)',
          ExpressionAttributeValues: { ':at': at() },
        }),
      ),
    async members(id: number) {
      let from: Record<string, never> | undefined
      do {
        const command = new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'PK = :partition',
          ExpressionAttributeValues: { ':partition': { S: `SAML_PROVIDER#${id}` } },
          ConsistentRead: true,
          ExclusiveStartKey: from,
        })
        from = (await client.send(command)).LastEvaluatedKey as typeof from
      } while (from !== undefined)
    },
    unlink: (keys: WireKey[], id: number) =>
      forEachConcurrently(chunk(keys, 25), batchesAtOnce, async batch => {
        const Statements = batch.map(({ PK, SK }) => ({
          Statement: text,
          Parameters: [at(), PK, SK, N(id), N(id + 1)],
        }))
        await client.send(new BatchExecuteStatementCommand({ Statements }))
        const puts = batch.map(({ PK }) => ({
          PutRequest: { Item: { PK: { S: `SAML_PROVIDER#${id}` }, SK: PK, expires_at: N(1) } },
        }))
        await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }))
      }),
    read: (keys: WireKey[]) =>
      forEachConcurrently(chunk(keys, 100), readsAtOnce, async Keys => {
        const RequestItems = { [tableName]: { Keys, ConsistentRead: true } }
        await client.send(new BatchGetItemCommand({ RequestItems }))
      }),
    async update(keys: WireKey[], id: number) {
      for (const batch of chunk(keys, 25))
        await Promise.all(
          batch.map(Key =>
            client.send(
              new UpdateItemCommand({
                TableName: tableName,
                Key,
                UpdateExpression: 'SET updated_at = :at REMOVE saml_provider_id, sso_provider_id',
                ConditionExpression: 'saml_provider_id = :saml AND sso_provider_id = :sso',
                ExpressionAttributeValues: { ':at': at(), ':saml': N(id), ':sso': N(id + 1) },
              }),
            ),
          ),
        )
    },
  }
}
