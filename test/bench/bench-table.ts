import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { putter } from '../../infra/data/put.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { localAws } from '../../infra/dynamodb/client.ts'
import { systemClock } from '../../lib/time.ts'
import type { User } from '../../lib/domain/resources.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import { openClient } from '../../lib/store/client.ts'
import { membershipItem, type Item, providerItem, userItem } from '../../lib/store/items.ts'
import { sampleProvider } from '../support/samples.ts'
import { largeUser } from './large-user.ts'

export const never = new AbortController().signal

/** A table in an engine of another process, or in the one of DYNAMODB_ENDPOINT. */
export async function benchTable() {
  const given = process.env.DYNAMODB_ENDPOINT
  const engine = given === undefined ? fork(join(import.meta.dirname, 'engine-process.ts')) : undefined
  const endpoint = given ?? (await endpointOf(engine as NonNullable<typeof engine>))
  // A bare loop repeats no call.
  const client = openClient({ endpoint, ...localAws }, 60_000)
  const tableName = `bench-${randomUUID()}`
  await createTable(client, tableName)

  const putBatch = putter(client, tableName, systemClock)
  const put = (items: Item[]) => forEachConcurrently(chunk(items, 25), 8, batch => putBatch(batch, never))

  return {
    client,
    endpoint,
    tableName,
    put,
    /** A provider with so many users of 2.7 KB, linked to it in both ways. */
    async fill(providerId: number, count: number): Promise<string[]> {
      const provider = sampleProvider(providerId, providerId + 1)
      const ids: string[] = []
      for (let from = 0; from < count; from += 1000) {
        const size = Math.min(1000, count - from)
        const users: User[] = Array.from({ length: size }, (_, n) =>
          largeUser(providerId * 1_000_000 + from + n, { saml: providerId, sso: providerId + 1 }),
        )
        await put(users.flatMap(user => [userItem(user), membershipItem(providerId, user.id)]))
        ids.push(...users.map(user => user.id))
      }
      await put([providerItem(provider, count)])
      return ids
    },
    async close() {
      // An engine of ours ends with all that is in it.
      if (engine === undefined) await dropTable(client, tableName)
      client.destroy()
      engine?.disconnect()
    },
  }
}

/**
 * The same engine, with repeated reads answered from memory, each after `callMs`, in a process of its own.
 *
 * @param certificate makes it an https server
 */
export async function replayingEngine(
  endpoint: string,
  callMs = 0,
  certificate?: { key: string; cert: string },
) {
  const process = fork(join(import.meta.dirname, 'replay-process.ts'), [endpoint, String(callMs)])
  process.send({ certificate })
  return { endpoint: await endpointOf(process), close: () => process.disconnect() }
}

const endpointOf = async (process: ChildProcess) => String((await once(process, 'message'))[0])
