import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { dynamodbEndpoint } from '../../infra/dynamodb/endpoint.ts'
import { startEngine } from '../../infra/dynamodb/engine.ts'
import { close, listen } from '../../infra/listen.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import type { Item } from '../../lib/store/items.ts'
import { largeUser, sampleProvider } from '../support/samples.ts'
import { forward } from './forward.ts'

const writesInFlight = 8

/** A server in front of the engine. */
interface Front {
  /** Answers repeated calls from memory: the engine takes longer than a service does. */
  repeats?: boolean
  /** Makes it an https server. */
  certificate?: { key: string; cert: string }
}

/** A table in an engine of this process, or in the one of DYNAMODB_ENDPOINT. */
export async function benchTable() {
  await using started = new AsyncDisposableStack()
  const given = dynamodbEndpoint()
  const engine = given === undefined ? await startEngine() : undefined
  if (engine !== undefined) started.defer(engine.stop)
  const endpoint = given ?? String(engine?.endpoint)
  const client = connectTo(endpoint)
  const tableName = `bench-${randomUUID()}`
  await createTable(client, tableName)
  started.defer(() => dropTable(client, tableName))

  const put = (items: Item[]) =>
    forEachConcurrently(chunk(items, 25), writesInFlight, async batch => {
      const requests = batch.map(Item => ({ PutRequest: { Item } }))
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }))
    })

  const answerer = (repeats: boolean) => {
    const replies = new Map<string, ReturnType<typeof replyTo>>()
    return async (request: IncomingMessage, response: ServerResponse) => {
      const held = callMs > 0 ? setTimeout(callMs) : undefined
      const body = await buffer(request)
      const call = `${request.headers['x-amz-target']} ${body}`
      const reply = replies.get(call) ?? replyTo(request, body, endpoint)
      if (repeats) replies.set(call, reply)
      const { status, headers, bytes } = await reply
      await held
      response.writeHead(status, headers).end(bytes)
    }
  }

  let callMs = 0
  const running = started.move()
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
    holdBack(ms: number) {
      callMs = ms
    },
    /** Opens a server in front of the engine. @returns its endpoint */
    async front({ certificate, repeats = false }: Front): Promise<string> {
      const answer = answerer(repeats)
      const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
      // After Node's default of 5 s, a side would send its next call on a closed connection.
      server.keepAliveTimeout = 0
      running.defer(() => close(server as Server))
      return `${certificate ? 'https' : 'http'}://127.0.0.1:${await listen(server, 0)}`
    },
    close: () => running.disposeAsync(),
  }
}

async function replyTo(request: IncomingMessage, body: Buffer, endpoint: string) {
  const reply = await forward(request, body, endpoint)
  const checksum = reply.headers.get('x-amz-crc32')
  const headers = { ...(checksum !== null && { 'x-amz-crc32': checksum }) }
  return { status: reply.status, headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}
