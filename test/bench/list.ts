import { GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { providerItem } from '../../lib/store/items.ts'
import { sampleProvider } from '../support/samples.ts'
import { benchTable } from './bench-table.ts'
import { cpuMs, type Figure, inTurns } from './measured.ts'
import { endpoints, streaming } from './one-process.ts'

const goals: Record<number, number> = { 10: 1.35, 100: 1.3 }
const compressedGoal = 1.5
const Key = { PK: { S: 'USER#nobody' }, SK: { S: 'USER' } }

/** Lists of some sizes, plain and compressed; the floor is the calls alone, by the same client: the Query of all pages
 * beside the caller's GetItem. */
export async function* measureList(sizes: readonly number[], rounds: number): AsyncGenerator<Figure> {
  for (const size of sizes) {
    const { client, tableName, put, close } = await benchTable()
    await put(Array.from({ length: size }, (_, n) => providerItem(sampleProvider(n + 1, n + 1), 0)))
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
    const times = Math.max(1, Math.round(200 / size))
    const repeated = (work: () => Promise<unknown>) => async () => {
      const ms = await cpuMs(async () => {
        for (let n = 0; n < times; n++) await work()
      })
      return ms / times
    }
    for (const coding of ['identity', 'gzip', 'br']) {
      const ours = repeated(() => list([['Accept-Encoding', coding]]))
      await inTurns(3, repeated(calls), ours)
      const samples = await inTurns(rounds, repeated(calls), ours)
      const target = coding === 'identity' ? (goals[size] ?? 1.2) : compressedGoal
      yield { name: `list ${size}, ${coding} / its calls`, unit: 'ms CPU', ...samples, target }
    }
    await close()
  }
}
