import type { ApiAnswer, Head } from '../../../lib/http/request.ts'
import type { FunctionAnswer } from '../lambda/receive-answer.ts'
import type { Reply } from './reply.ts'

/** A function's buffered answer as an HTTP reply. @throws Error when it has another format */
export function readProxyAnswer({ json, stream }: FunctionAnswer): Reply {
  stream?.destroy()
  if (stream !== undefined) throw new Error('Malformed Lambda proxy response: the route does not stream')
  const { body, isBase64Encoded }: ApiAnswer = JSON.parse(json)
  return { ...readHead(json), body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }
}

/** The status and headers at the beginning of a function's answer. @throws Error when they have another format */
export function readHead(json: string): Omit<Reply, 'body'> {
  const { statusCode, headers = {} }: Head = JSON.parse(json)
  return {
    status: statusCode,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
  }
}
