import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

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

/** A port that was free a moment ago. */
export const freePort = () => listenBriefly(0)

/** @throws Error of one sentence that names the option for another port */
export const assertFree = (port: number, host: string, option: string) =>
  listenBriefly(port, host).catch(explainPort(port, `${option} NUMBER`))

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
  throw error
}

async function listenBriefly(port: number, host?: string): Promise<number> {
  const server = createServer()
  const actualPort = await listen(server, port, host)
  server.close()
  await once(server, 'close')
  return actualPort
}
