import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { localAws } from '../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { openClient } from '../../lib/store/client.ts'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import type { Item } from '../../lib/store/items.ts'
import { largeUser, sampleProvider } from '../support/samples.ts'
import type { Front } from './engine-process.ts'

const writesInFlight = 8

/** A table in an engine of another process, or in the one of DYNAMODB_ENDPOINT. */
export async function benchTable() {
  const engine = fork(join(import.meta.dirname, 'engine-process.ts'))
  const nextEndpoint = async () => String((await once(engine, 'message'))[0])
  const endpoint = await nextEndpoint()
  const client = openClient({ endpoint, ...localAws }, 60_000)
  const tableName = `bench-${randomUUID()}`
  await createTable(client, tableName)

  const put = (items: Item[]) =>
    forEachConcurrently(chunk(items, 25), writesInFlight, async batch => {
      const requests = batch.map(Item => ({ PutRequest: { Item } }))
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }))
    })

  return {
    tableName,
    /** Writes items, whatever is there. */
    put,
    /** Writes an active provider, and so many users of 2.7 KB who are linked to it in both ways. @returns their ids */
    async fill(providerId: number, count: number): Promise<string[]> {
      const links = { saml: providerId, sso: providerId + 1 }
      const users = Array.from({ length: count }, (_, n) => largeUser(providerId * 1_000_000 + n, links))
      await put(users.flatMap(user => [userItem(user), membershipItem(providerId, user.id)]))
      await put([providerItem(sampleProvider(providerId, links.sso), count)])
      return users.map(user => user.id)
    },
    /** Each front holds its replies back so long from now on. */
    holdBack: (callMs: number) => engine.send(callMs),
    /** Opens a server in front of the engine. @returns its endpoint */
    front(how: Front) {
      engine.send(how)
      return nextEndpoint()
    },
    async close() {
      await dropTable(client, tableName)
      engine.disconnect()
    },
  }
}
