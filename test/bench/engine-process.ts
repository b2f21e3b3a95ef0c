import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { startEngine } from '../../infra/dynamodb/engine.ts'
import { listen } from '../../infra/listen.ts'
import { forward } from './forward.ts'

/** A server in front of the engine. */
export interface Front {
  /** Answers repeated calls from memory: the engine takes longer than a service does. */
  repeats?: boolean
  /** Makes it an https server. */
  certificate?: { key: string; cert: string }
}

// The engine is a process of its own, so that its work is not counted as a service's. It sends its endpoint and, for each
// Front that it receives, the endpoint of that. A number is how many milliseconds each front holds its replies back from
// then on. Ends with its parent.
let callMs = 0
const endpoint = process.env.DYNAMODB_ENDPOINT ?? (await startEngine()).endpoint
process.send?.(endpoint)
process.on('disconnect', () => process.exit(0))
process.on('message', async (message: Front | number) => {
  if (typeof message === 'number') {
    callMs = message
    return
  }
  const { certificate, repeats = false } = message
  const answer = answerer(repeats)
  const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
  // After Node's default of 5 s, a side would send its next call on a closed connection.
  server.keepAliveTimeout = 0
  process.send?.(`${certificate ? 'https' : 'http'}://127.0.0.1:${await listen(server, 0)}`)
})

function answerer(repeats: boolean) {
  const replies = new Map<string, ReturnType<typeof replyTo>>()
  return async (request: IncomingMessage, response: ServerResponse) => {
    const wait = callMs > 0 ? setTimeout(callMs) : undefined
    const body = await buffer(request)
    const call = `${request.headers['x-amz-target']} ${body}`
    const reply = replies.get(call) ?? replyTo(request, body)
    if (repeats) replies.set(call, reply)
    const { status, headers, bytes } = await reply
    await wait
    response.writeHead(status, headers).end(bytes)
  }
}

async function replyTo(request: IncomingMessage, body: Buffer) {
  const reply = await forward(request, body, endpoint)
  const checksum = reply.headers.get('x-amz-crc32')
  const headers = { ...(checksum !== null && { 'x-amz-crc32': checksum }) }
  return { status: reply.status, headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}
