import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { selfSigned } from './keys/certificate.ts'

const authorities = getCACertificates()
const { key, cert } = selfSigned()

/** Lets this process trust the certificate of these servers, or not. */
export const trustServers = (isTrusted: boolean) => setDefaultCACertificates(isTrusted ? [cert] : authorities)

/** Starts an https server on this machine, whose certificate this process trusts until `close`. */
export async function httpsServer(listener: RequestListener) {
  trustServers(true)
  /** The requests so far. */
  const requests: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    requests,
    base: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    async close() {
      trustServers(false)
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
