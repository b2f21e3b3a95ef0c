import type { ServerResponse } from 'node:http'
import { finished, Readable } from 'node:stream'

/** An HTTP answer. */
export interface Reply {
  status: number
  headers: [name: string, value: string][]
  body: string | Buffer | Readable
}

/**
 * Sends the answer. When a streamed body fails, the connection is cut. A body whose client has left is read to its end, as on
 * AWS.
 *
 * @throws Error when status or headers are malformed
 */
export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  if (!(body instanceof Readable)) {
    const length = ['Content-Length', String(Buffer.byteLength(body))]
    response.writeHead(status, [...headers, length].flat()).end(body)
    return
  }
  response.writeHead(status, headers.flat())
  finished(body, fault => fault && response.destroy())
  finished(response, () => body.unpipe(response).resume())
  body.pipe(response)
}
