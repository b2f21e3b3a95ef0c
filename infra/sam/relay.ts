import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * The address of this machine at which containers find it.
 *
 * On Linux that is Docker's bridge; Docker Desktop leads them to the loopback interface. Neither is open to others.
 */
export const addressForContainers = (interfaces = networkInterfaces()): string =>
  interfaces.docker0?.find(({ family }) => family === 'IPv4')?.address ?? '127.0.0.1'

/** Makes a port of the loopback interface reachable at another address and port. @returns what ends it */
export async function relay(target: number, address: string, port: number): Promise<() => void> {
  const open = new Set<Socket>()
  const server = createServer(incoming => {
    const outgoing = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => open.delete(one))
    }
  })
  const listening = once(server, 'listening')
  server.listen(port, address)
  await listening
  return () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
}
