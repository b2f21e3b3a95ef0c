import type { ServerResponse } from 'node:http'
import { finished, Readable } from 'node:stream'

/** An HTTP answer. */
export interface Reply {
  status: number
  headers: [name: string, value: string][]
  body: string | Buffer | Readable
}

/**
 * Sends the answer. When the request is not complete, the connection is closed after it; when a streamed body fails, the
 * connection is cut. A body whose client has left is read to its end, as on AWS.
 *
 * @throws Error when status or headers are malformed
 */
export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  const ending: Reply['headers'] = response.req.complete ? [] : [['Connection', 'close']]
  if (!(body instanceof Readable)) {
    ending.push(['Content-Length', String(Buffer.byteLength(body))])
    response.writeHead(status, [...headers, ...ending].flat()).end(body)
    return
  }
  response.writeHead(status, [...headers, ...ending].flat())
  finished(body, fault => fault && response.destroy())
  finished(response, () => body.unpipe(response).resume())
  body.pipe(response)
}
