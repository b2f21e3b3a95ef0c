import type { IncomingMessage } from 'node:http'

/** API Gateway's quotas for REST APIs. */
const headerMaxBytes = 10_240
const bodyMaxBytes = 10 * 1024 * 1024

/** The HTTP parser's limit for headers: larger than the quota, so that the gateway's answer is sent up to it. */
export const parserMaxBytes = 128 * 1024

/** Whether the headers exceed the quota; a line counts as `name: value` and a line end. */
export const exceedsHeaderQuota = (rawHeaders: readonly string[]) =>
  rawHeaders.reduce((bytes, text) => bytes + Buffer.byteLength(text, 'latin1') + 2, 0) > headerMaxBytes

/** @returns undefined for a body over the quota; the rest is not read */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > bodyMaxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
