import { STATUS_CODES, type ServerResponse } from 'node:http'

/** An answer that is known as a whole. */
export interface Reply {
  status: number
  headers: [name: string, value: string][]
  body: string | Buffer
}

/** Sends it. What the client has not sent by now is not waited for: the connection ends. */
export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.headersSent) return void response.destroy()
  const ending: Reply['headers'] = response.req.complete ? [] : [['Connection', 'close']]
  response.writeHead(
    status,
    [...headers, ['Content-Length', String(Buffer.byteLength(body))], ...ending].flat(),
  )
  response.end(body)
}

/** It as the bytes of a connection that ends, where there is no request to respond to. */
export function asText({ status, headers, body }: Reply): string {
  const lines = [...headers, ['Content-Length', String(Buffer.byteLength(body))], ['Connection', 'close']]
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`
}
