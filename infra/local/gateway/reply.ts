import type { ServerResponse } from 'node:http'

/** A complete HTTP answer. */
export interface Reply {
  status: number
  headers: [name: string, value: string][]
  body: string | Buffer
}

/** Sends the answer. When the request is not complete, the connection is closed after it. */
export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.headersSent) return void response.destroy()
  const ending: Reply['headers'] = response.req.complete ? [] : [['Connection', 'close']]
  response.writeHead(
    status,
    [...headers, ['Content-Length', String(Buffer.byteLength(body))], ...ending].flat(),
  )
  response.end(body)
}
