import { Buffer } from 'node:buffer'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

const hex = (digits: string) => Buffer.from(digits, 'hex')

const sequence = (...parts: Buffer[]) => tlv(0x30, Buffer.concat(parts))

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

/** Creates a self-signed X.509 certificate for 127.0.0.1, so that the repository contains no private key. */
function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(tlv(0x06, hex('2a8648ce3d040302')))
  const name = sequence(tlv(0x31, sequence(tlv(0x06, hex('550403')), tlv(0x0c, Buffer.from('test')))))
  const subjectAltName = sequence(tlv(0x06, hex('551d11')), tlv(0x04, sequence(tlv(0x87, hex('7f000001')))))
  const certificate = sequence(
    tlv(0xa0, tlv(0x02, hex('02'))),
    tlv(0x02, hex('01')),
    ecdsaWithSha256,
    name,
    sequence(tlv(0x17, Buffer.from('200101000000Z')), tlv(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    tlv(0xa3, sequence(subjectAltName)),
  )
  const signature = tlv(0x03, Buffer.concat([hex('00'), sign('sha256', certificate, privateKey)]))
  const der = sequence(certificate, ecdsaWithSha256, signature)
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}
