import type { IncomingMessage } from 'node:http'

const ownToConnection = /^(host|connection|content-length|expect)$/

/** Sends a received call to an engine, with all headers but those that belong to the connection. */
export function forward(
  { headers: received }: IncomingMessage,
  body: Buffer,
  endpoint: string,
): Promise<Response> {
  const headers = Object.entries(received).flatMap(([name, value]): [string, string][] =>
    ownToConnection.test(name) ? [] : [[name, String(value)]],
  )
  return fetch(endpoint, { method: 'POST', headers, body: new Uint8Array(body) })
}
