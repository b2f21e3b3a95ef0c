import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import dynalite from 'dynalite'
import { listen } from '../local/listen.ts'
import { exclusion } from './exclusion.ts'
import { batchExecuteStatement } from './statements.ts'
import { transactWriteItems } from './transactions.ts'
import { askWith, inProcess, type Operation, Refused, type Reply, refusal } from './wire.ts'

export interface Engine {
  endpoint: string
  stop(): Promise<void>
}

interface EngineOptions {
  /** Folder that keeps the data; without it the data lives as long as the engine. */
  path?: string | undefined
  /** Address of this machine; the loopback interface by default. */
  host?: string
  /** Any free port by default. */
  port?: number
}

/** A DynamoDB inside this process: dynalite, and the operations that it lacks. */
export async function startEngine({
  path,
  host = '127.0.0.1',
  port = 0,
}: EngineOptions = {}): Promise<Engine> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, ...(path !== undefined && { path }) })
  // A client that is busy for longer than Node's 5 s would send its next call on a connection that has been closed.
  server.keepAliveTimeout = 0
  const [handle] = server.listeners('request') as [RequestListener]
  const { beside, alone } = exclusion()
  // Each is several calls of dynalite, which nobody may see half done.
  const added: Record<string, Operation> = {
    TransactWriteItems: transactWriteItems(),
    BatchExecuteStatement: batchExecuteStatement,
  }

  const answer = (request: IncomingMessage, body: Buffer): Promise<Reply> => {
    const target = String(request.headers['x-amz-target'])
    const operation = added[target.replace(/^.*\./, '')]
    if (operation === undefined) return beside(() => inProcess(handle, request, body))
    const ask = askWith(handle, request)
    return alone(async () => operation(parse(body), ask)).catch(refusal)
  }

  server.removeAllListeners('request')
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    // A client that gives up while it sends has asked nothing; one that gives up later is answered in vain.
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    const { status, headers, text } = await answer(request, body)
    response.writeHead(status, headers).end(text)
  })
  const endpoint = `http://${host}:${await listen(server, port, host)}`
  return {
    endpoint,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(String(body))
  } catch {
    throw new Refused('SerializationException', 'the body is no JSON')
  }
}
