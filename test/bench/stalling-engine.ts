import { createServer, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../../infra/listen.ts'
import { forward } from './forward.ts'

/** How an engine can keep a caller waiting for ever. */
export type Stall = 'says nothing' | 'sends headers and no body' | 'sends a byte a second'

/** In front of a real engine: lets the first calls through, and keeps all others waiting for ever. */
export async function stallingEngine(endpoint: string, stall: Stall, callsLetThrough: number) {
  let calls = 0
  const server = createServer(async (request, response) => {
    calls += 1
    if (calls > callsLetThrough) return keepWaiting(response, stall)
    const reply = await forward(request, await buffer(request), endpoint)
    response.writeHead(reply.status, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(await reply.text())
  })
  return { endpoint: `http://127.0.0.1:${await listen(server, 0)}`, close: () => end(server) }
}

function keepWaiting(response: ServerResponse, stall: Stall) {
  if (stall === 'says nothing') return
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': 1000 })
  response.flushHeaders()
  if (stall === 'sends headers and no body') return
  const drip = setInterval(() => response.write(' '), 1000)
  response.on('close', () => clearInterval(drip))
}

function end(server: Server) {
  server.closeAllConnections()
  return new Promise(closed => server.close(closed))
}
