import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import dynalite from 'dynalite'
import { close, listen } from '../listen.ts'
import { transactWriteItems } from './transactions.ts'
import {
  callWith,
  inProcess,
  type Operation,
  type Received,
  type Reply,
  refusal,
  refusalOfWebPage,
} from './wire.ts'

export interface Engine {
  endpoint: string
  stop(): Promise<void>
}

interface EngineOptions {
  /** An address of this machine; default: the loopback interface. */
  host?: string
  /** Other names of this address, under which programs call it. */
  hostNames?: readonly string[]
  /** Default: any free port. */
  port?: number
}

/** Starts the embedded DynamoDB as a server, for programs and not for web pages. Its data is in memory. */
export async function startEngine({
  host = '127.0.0.1',
  hostNames = [],
  port = 0,
}: EngineOptions = {}): Promise<Engine> {
  const { server, answer } = embeddedEngine()
  // After Node's default of 5 s, a slow client would send its next call on a closed connection.
  server.keepAliveTimeout = 0
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const send = ({ status, headers, text }: Reply) => void response.writeHead(status, headers).end(text)
    const refused = refusalOfWebPage(request, [host, ...hostNames])
    if (refused !== undefined) return send(refused)
    // A client that disconnects while it sends has made no request.
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    send(await answer(request, body))
  })
  const endpoint = `http://${host}:${await listen(server, port, host)}`
  return { endpoint, stop: () => close(server) }
}

/**
 * The embedded DynamoDB: dynalite, and the operations that it does not have. It answers calls of this process without a
 * connection; its server does not listen yet.
 *
 * @internal
 */
export function embeddedEngine() {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0 })
  const [handle] = server.listeners('request') as [RequestListener]
  server.removeAllListeners('request')
  const added = new Map<string, Operation>([['TransactWriteItems', transactWriteItems()]])
  const answerOf = async (request: Received, body: Buffer): Promise<Reply> => {
    const target = String(request.headers['x-amz-target'])
    const operation = added.get(target.replace(/^.*\./, ''))
    if (operation === undefined) return inProcess(handle, request, body)
    return operation(JSON.parse(String(body)), callWith(handle, request))
  }

  // One after another: the added operations are several calls of dynalite, with no other between them.
  let last: Promise<unknown> = Promise.resolve()
  const answer = (request: Received, body: Buffer): Promise<Reply> => {
    const answered = last.then(() => answerOf(request, body)).catch(refusal)
    last = answered
    return answered
  }
  return { server, answer }
}
