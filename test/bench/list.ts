import { GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { providerItem } from '../../lib/store/items.ts'
import { sampleProvider } from '../support/samples.ts'
import { benchTable, replayingEngine } from './bench-table.ts'
import { cpuMs, type Figure, inTurnsFor } from './measured.ts'
import { endpoints, streaming } from './one-process.ts'

const goals: Record<number, number> = { 10: 1.35, 100: 1.3 }
const compressedGoal = 1.5
const Key = { PK: { S: 'USER#nobody' }, SK: { S: 'USER' } }

/** Lists of some sizes, plain and compressed; the floor is the calls alone, by the same client: the Query of all pages
 * beside the caller's GetItem. @param ms for each of them */
export async function* measureList(sizes: readonly number[], ms: number): AsyncGenerator<Figure> {
  for (const size of sizes) {
    const { endpoint, tableName, put, close } = await benchTable()
    await put(Array.from({ length: size }, (_, n) => providerItem(sampleProvider(n + 1, n + 1), 0)))
    const replaying = await replayingEngine(endpoint)
    const client = openClient({ endpoint: replaying.endpoint, ...localAws })
    const { list } = endpoints(client, tableName, streaming)
    const query = async () => {
      let from: Record<string, never> | undefined
      do {
        const command = new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'PK = :partition',
          ExpressionAttributeValues: { ':partition': { S: 'SAML_PROVIDERS' } },
          ConsistentRead: true,
          ExclusiveStartKey: from,
        })
        from = (await client.send(command)).LastEvaluatedKey as typeof from
      } while (from !== undefined)
    }
    const calls = () => Promise.all([query(), client.send(new GetItemCommand({ TableName: tableName, Key }))])
    const times = Math.max(1, Math.round(50 / size))
    const repeated = (work: () => Promise<unknown>) => async () => {
      const all = async () => {
        for (let n = 0; n < times; n++) await work()
      }
      return (await cpuMs(all)) / times
    }
    for (const coding of ['identity', 'gzip', 'br']) {
      const ours = repeated(() => list([['Accept-Encoding', coding]]))
      const samples = await inTurnsFor(ms, repeated(calls), ours)
      const target = coding === 'identity' ? (goals[size] ?? 1.2) : compressedGoal
      yield { name: `list ${size}, ${coding} / its calls`, unit: 'ms CPU', ...samples, target }
    }
    client.destroy()
    replaying.close()
    await close()
  }
}
