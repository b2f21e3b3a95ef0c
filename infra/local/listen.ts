import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'

/** Opens the server to this machine only. @returns the port, which the system chooses for 0 */
export async function listen(
  server: Pick<Server, 'listen' | 'address' | 'once' | 'off'>,
  port: number,
): Promise<number> {
  const listening = once(server as Server, 'listening')
  server.listen(port, '127.0.0.1')
  await listening
  return (server.address() as AddressInfo).port
}

/** A port that nobody used a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const listening = once(server, 'listening')
  server.listen(0, '127.0.0.1')
  await listening
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
