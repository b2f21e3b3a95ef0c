import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/**
 * Opens the server at an address of this machine; the loopback interface by default.
 *
 * @returns the port, which the system chooses for 0
 */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<number> {
  const listening = once(server, 'listening')
  server.listen(port, host)
  await listening
  return (server.address() as AddressInfo).port
}

/** A port that nobody used a moment ago. */
export const freePort = () => listenBriefly(0)

/** @throws Error of one sentence that names the option by which another port is chosen */
export const assertFree = (port: number, host: string, option: string) =>
  listenBriefly(port, host).catch(explainPort(port, `${option} NUMBER`))

/** Makes one sentence of what keeps a server from a port. @param choice what a person types for another port */
export const explainPort = (port: number, choice: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE')
    throw new Error(`Port ${port} is taken: end what uses it, or choose another one with ${choice}.`)
  if (error.code === 'EACCES')
    throw new Error(`Port ${port} may not be used by this user: choose one above 1023 with ${choice}.`)
  throw error
}

async function listenBriefly(port: number, host?: string): Promise<number> {
  const server = createServer()
  const actualPort = await listen(server, port, host)
  server.close()
  await once(server, 'close')
  return actualPort
}
