import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { parserMaxBytes } from './quotas.ts'

/**
 * Reads the bytes of a server's connections beside Node's parser, which takes several blanks for one, and a request line
 * without a version for HTTP/0.9.
 *
 * @returns whether the line of a request has the form of HTTP/1.1 or 1.0; to be called at the event `request`
 * @see RFC 9112 §3 (any other line should be answered 400)
 */
export function strictRequestLines(server: Server): (request: IncomingMessage) => boolean {
  const unread = new WeakMap<Socket, string>()
  server.on('connection', (socket: Socket) => {
    unread.set(socket, '')
    socket.prependListener('data', (bytes: Buffer) => {
      // At most the headers of a request and the bytes that came with their end.
      const text = unread.get(socket) + bytes.toString('latin1')
      unread.set(socket, text.slice(-2 * parserMaxBytes))
    })
  })

  return ({ socket, method, url }) => {
    const line = `${method} ${url} HTTP/1.`
    const text = unread.get(socket) ?? ''
    const start = text.indexOf(line)
    if (start >= 0) unread.set(socket, text.slice(start + line.length))
    return start >= 0
  }
}
