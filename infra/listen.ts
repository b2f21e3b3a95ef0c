import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/**
 * Starts listening; on the loopback interface by default.
 *
 * @returns the port; for 0 a free one
 */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  const listening = once(server, 'listening')
  server.listen(port, host)
  await listening
  return (server.address() as AddressInfo).port
}

/**
 * Whether a request's `Host` is a name of this machine. A web page whose own name resolves to this machine (DNS rebinding)
 * sends that name as `Host`.
 *
 * @param more other names of the server, without a port
 */
export const isOwnHost = (host: string, more: readonly string[] = []): boolean =>
  ['127.0.0.1', 'localhost', ...more].includes(host.replace(/:\d+$/, '').toLowerCase())

export const close = (server: HttpServer) =>
  new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Throws one sentence for a port that cannot be used. @param choice how to choose another port, such as `PORT=NUMBER` */
export const explainPort = (port: number, choice: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE')
    throw new Error(
      `Port ${port} is in use: stop the program that uses it, or choose another port with ${choice}.`,
    )
  if (error.code === 'EACCES')
    throw new Error(
      `Port ${port} needs more rights than this user has: choose one above 1023 with ${choice}.`,
    )
  if (error.code === 'EADDRNOTAVAIL')
    throw new Error(
      'This machine has no address 127.0.0.1, on which the local servers listen: enable IPv4 on its loopback interface.',
    )
  throw error
}
