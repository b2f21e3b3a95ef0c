import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { startEngine } from '../../infra/dynamodb/engine.ts'
import { close, listen } from '../../infra/listen.ts'
import { createTable } from '../../infra/resources/table.ts'
import type { Item } from '../../lib/store/items.ts'
import { putItems } from '../support/put-items.ts'
import { largeUser, sampleProvider } from '../support/samples.ts'

const tableName = 'bench'

/** A table in an engine of this process. */
export async function benchTable() {
  await using started = new AsyncDisposableStack()
  const { endpoint, stop } = await startEngine()
  started.defer(stop)
  const client = connectTo(endpoint)
  await createTable(client, tableName)

  const put = (items: Item[]) => putItems(client, tableName, items)
  const running = started.move()
  return {
    tableName,
    endpoint,
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
    /**
     * Opens a server that answers repeated calls from memory, because the engine takes longer than a service does.
     *
     * @param certificate makes it an https server
     * @returns its endpoint
     */
    async memory(certificate?: { key: string; cert: string }): Promise<string> {
      const answer = answerFromMemory(endpoint)
      const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
      // After Node's default of 5 s, a side would send its next call on a closed connection.
      server.keepAliveTimeout = 0
      running.defer(() => close(server as Server))
      return `${certificate ? 'https' : 'http'}://127.0.0.1:${await listen(server, 0)}`
    },
    close: () => running.disposeAsync(),
  }
}

function answerFromMemory(endpoint: string) {
  const replies = new Map<string, ReturnType<typeof replyOf>>()
  return async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    const call = `${request.headers['x-amz-target']} ${body}`
    const reply = replies.get(call) ?? replyOf(request, body, endpoint)
    replies.set(call, reply)
    const { status, headers, bytes } = await reply
    response.writeHead(status, headers).end(bytes)
  }
}

const ownToConnection = /^(host|connection|content-length|expect)$/

async function replyOf({ headers: received }: IncomingMessage, body: Buffer, endpoint: string) {
  const passed = Object.entries(received).flatMap(([name, value]): [string, string][] =>
    ownToConnection.test(name) ? [] : [[name, String(value)]],
  )
  const reply = await fetch(endpoint, { method: 'POST', headers: passed, body: new Uint8Array(body) })
  const checksum = reply.headers.get('x-amz-crc32')
  const headers = { ...(checksum !== null && { 'x-amz-crc32': checksum }) }
  return { status: reply.status, headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}
