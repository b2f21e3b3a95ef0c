import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { listen } from '../../infra/listen.ts'
import { forward } from './forward.ts'

// Stands before an engine and answers a repeated read from memory: the engine takes longer than the service does, on a
// core that disturbs the measured process. Each reply is held back for some milliseconds. Ends with its parent.
const [endpoint = '', callMs = '0'] = process.argv.slice(2)
const replies = new Map<string, ReturnType<typeof replyTo>>()

async function replyTo(request: IncomingMessage, body: Buffer) {
  const reply = await forward(request, body, endpoint)
  const checksum = reply.headers.get('x-amz-crc32')
  return {
    status: reply.status,
    headers: { ...(checksum !== null && { 'x-amz-crc32': checksum }) },
    body: Buffer.from(await reply.arrayBuffer()),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse) {
  const body = await buffer(request)
  const call = `${request.headers['x-amz-target']} ${body}`
  const reply = replies.get(call) ?? replyTo(request, body)
  replies.set(call, reply)
  const known = await reply
  if (Number(callMs) > 0) await setTimeout(Number(callMs))
  response.writeHead(known.status, known.headers).end(known.body)
}

const [{ certificate }] = await once(process, 'message')
const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
process.send?.(`${certificate ? 'https' : 'http'}://127.0.0.1:${await listen(server, 0)}`)
process.on('disconnect', () => process.exit(0))
