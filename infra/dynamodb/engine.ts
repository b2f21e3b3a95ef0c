import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { ClassicLevel } from 'classic-level'
import dynalite from 'dynalite'
import { close, listen } from '../listen.ts'
import { compareByValue } from './comparison.ts'
import { batchExecuteStatement } from './statements.ts'
import { transactWriteItems } from './transactions.ts'
import {
  askWith,
  inProcess,
  type Operation,
  type Received,
  type Reply,
  refusal,
  refusalOfWebPage,
} from './wire.ts'

compareByValue()

export interface Engine {
  endpoint: string
  stop(): Promise<void>
}

interface EngineOptions {
  /** The folder of the data; without it the data is in memory. */
  path?: string | undefined
  /** An address of this machine; default: the loopback interface. */
  host?: string
  /** Other names of this address, under which programs call it. */
  hostNames?: readonly string[]
  /** Default: any free port. */
  port?: number
}

/**
 * Starts the embedded DynamoDB as a server, for programs and not for web pages. An error while it stores data is thrown
 * outside any call, and must end the process: LevelDB would lose what it stores after it.
 *
 * @throws the error of LevelDB when the data cannot be opened
 */
export async function startEngine({
  path,
  host = '127.0.0.1',
  hostNames = [],
  port = 0,
}: EngineOptions = {}): Promise<Engine> {
  if (path !== undefined) await assertOpens(path)
  const { server, answer } = engineIn(path)
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
export function engineIn(path?: string) {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, ...(path !== undefined && { path }) })
  const [handle] = server.listeners('request') as [RequestListener]
  server.removeAllListeners('request')
  const added = new Map<string, Operation>([
    ['TransactWriteItems', transactWriteItems()],
    ['BatchExecuteStatement', batchExecuteStatement],
  ])
  const answerOf = async (request: Received, body: Buffer): Promise<Reply> => {
    const target = String(request.headers['x-amz-target'])
    const operation = added.get(target.replace(/^.*\./, ''))
    if (operation === undefined) return inProcess(handle, request, body)
    return operation(JSON.parse(String(body)), askWith(handle, request))
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

/** @throws Error with the reason why the data cannot be opened; dynalite only says that it is closed */
async function assertOpens(path: string): Promise<void> {
  const data = new ClassicLevel(path)
  await data.open().catch(({ cause }) => {
    if (cause.code !== 'LEVEL_LOCKED') throw cause
    throw new Error(`The data in ${path} is in use by another process: stop that process first.`)
  })
  await data.close()
}
