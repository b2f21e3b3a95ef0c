import { STATUS_CODES, type ServerResponse } from 'node:http'

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

/** The answer as text of a connection that is then closed, for requests that the HTTP parser refused. */
export function asText({ status, headers, body }: Reply): string {
  const lines = [...headers, ['Content-Length', String(Buffer.byteLength(body))], ['Connection', 'close']]
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`
}
