import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'

const bytesMax = 512 * 1024
const headers = {
  accept: 'application/json, application/jwk-set+json',
  /** Firewalls such as AWS WAF's common rules refuse a request without it. */
  'user-agent': 'deprecated-saml-endpoints',
}

/** Fetches a JSON document, parsed; whatever it throws counts as an outage of the issuer. */
export type FetchJson = (uri: string, signal: AbortSignal) => Promise<unknown>

/** Fetches the document over https: status 200 only, no redirects, at most 512 KB. */
export const fetchJson: FetchJson = async (uri, signal) => {
  // A new connection: a pooled one may be closed while the execution environment is frozen.
  const request = get(uri, { agent: false, signal, headers })
  // Errors after the beginning of the answer are thrown by the reader; without a listener they would end the process.
  request.on('error', () => {})
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
    return JSON.parse(await body(response))
  } finally {
    request.destroy()
  }
}

/** The text of a body, without a byte order mark. */
async function body(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error('more than 512 KB')
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
