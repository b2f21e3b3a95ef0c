import { randomUUID } from 'node:crypto'
import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { systemClock } from '../../lib/time.ts'
import { encoded } from '../../lib/http/encoding.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { send } from '../../lib/http/transfer.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import { userKey } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { benchTable, never } from './bench-table.ts'
import { type Measured, timed } from './measured.ts'

const users = 10_000
const rounds = 3
const updatesInFlight = 50
const readsInFlight = 4

/** A removal beside a bare loop of its conditional updates; its answer beside a bare loop of its reads. */
export async function measureRemoval(): Promise<Measured[]> {
  const { client, table, tableName, fill, close } = await benchTable()
  const store = removalStore(table)
  const tools = { store, clock: systemClock, newId: randomUUID, retentionMs: 86_400_000 }
  const asker = { requestedBy: 'bench', log: () => {}, signal: never }

  const loop = (ids: string[], providerId: number) =>
    forEachConcurrently(ids, updatesInFlight, async id => {
      await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: userKey(id),
          UpdateExpression: 'SET updated_at = :at REMOVE saml_provider_id, sso_provider_id',
          ConditionExpression: 'saml_provider_id = :saml AND sso_provider_id = :sso',
          ExpressionAttributeValues: {
            ':at': new Date().toISOString(),
            ':saml': providerId,
            ':sso': providerId + 1,
          },
        }),
      )
    })
  const reads = (ids: string[]) =>
    forEachConcurrently(chunk(ids, 100), readsInFlight, async batch => {
      const Keys = batch.map(userKey)
      await client.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }),
      )
    })
  const remove = async (providerId: number) => {
    const found = await store.find(providerId, never)
    if (found === undefined) throw new Error('the provider is not there')
    return removeProvider(tools, found, asker)
  }
  const head = { statusCode: 200, headers: {} }
  const answer = async (providerId: number) =>
    send(head, encoded(dataPieces({ affected_user: await remove(providerId) }), 'br'))

  const removal: Measured = {
    name: `remove ${users} users / bare UpdateItem loop`,
    unit: 'ms',
    floor: [],
    ours: [],
    target: 'at most 1.3',
  }
  const report: Measured = {
    name: `answer with ${users} users / bare BatchGetItem loop`,
    unit: 'ms',
    floor: [],
    ours: [],
    target: 'at most 1.5',
  }
  for (let round = 0; round < rounds; round++) {
    const [ours, bare] = [round * 10 + 1, round * 10 + 5]
    await fill(ours, users)
    const ids = await fill(bare, users)
    removal.ours.push(await timed(() => remove(ours)))
    removal.floor.push(await timed(() => loop(ids, bare)))
    for (let turn = 0; turn < 3; turn++) {
      report.floor.push(await timed(() => reads(ids)))
      report.ours.push(await timed(() => answer(ours)))
    }
  }
  await close()
  return [removal, report]
}
