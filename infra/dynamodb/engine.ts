import type { IncomingMessage, RequestListener, Server } from 'node:http'
import dynalite from 'dynalite'
import { listen } from '../local/listen.ts'

type Listener = (...given: never[]) => void

export interface Engine {
  endpoint: string
  stop(): Promise<void>
}

/**
 * A DynamoDB inside this process, on a free port of the loopback interface.
 *
 * @param path folder that keeps the data; without it the data lives as long as the engine
 */
export async function startEngine(path?: string): Promise<Engine> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, ...(path !== undefined && { path }) })
  surviveAbortedRequests(server)
  const port = await listen(server, 0)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A client that gives up makes dynalite throw where nobody can catch it; giving up is what a spent budget does. */
function surviveAbortedRequests(server: Server): void {
  const [handle] = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const on = request.on.bind(request) as (event: string, listener: Listener) => IncomingMessage
    request.on = ((event: string, listener: Listener) =>
      on(event, event === 'error' ? () => {} : listener)) as typeof request.on
    handle?.(request, response)
  })
}
