import * as v from 'valibot'
import type { FunctionAnswer } from '../lambda/receive-answer.ts'
import type { Reply } from './reply.ts'

const headerValue = v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String))
const status = v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599))

const head = {
  statusCode: v.union([status, v.pipe(v.string(), v.digits(), v.transform(Number), status)]),
  headers: v.nullish(v.record(v.string(), headerValue), {}),
  multiValueHeaders: v.nullish(v.record(v.string(), v.array(headerValue)), {}),
}
const proxyAnswer = v.strictObject({
  ...head,
  body: v.nullish(v.string(), ''),
  isBase64Encoded: v.nullish(v.boolean(), false),
})
const streamMetadata = v.strictObject({ ...head, cookies: v.optional(v.array(v.string()), []) })

/**
 * A function's buffered answer as the HTTP reply that API Gateway sends.
 *
 * @throws Error when it has another format, for which API Gateway answers 502
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html (output format)
 */
export function readProxyAnswer({ json, stream }: FunctionAnswer): Reply {
  stream?.destroy()
  if (stream !== undefined) throw new Error('Malformed Lambda proxy response: the route does not stream')
  const { statusCode, body, isBase64Encoded, ...lists } = parse(proxyAnswer, json)
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  return { status: statusCode, headers: merged(lists), body: bytes }
}

/**
 * The status and headers at the beginning of a streamed answer.
 *
 * @throws Error when they have another format, for which API Gateway answers 502
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export function readStreamMetadata(json: string): Omit<Reply, 'body'> {
  const { statusCode, cookies, ...lists } = parse(streamMetadata, json)
  const setCookies = cookies.map((cookie): [string, string] => ['Set-Cookie', cookie])
  return { status: statusCode, headers: [...merged(lists), ...setCookies] }
}

function parse<S extends v.GenericSchema>(schema: S, json: string): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, JSON.parse(json))
  if (success) return output
  const faults = issues.map(issue => `${v.getDotPath(issue) ?? 'the value'}: ${issue.message}`)
  throw new Error(`Malformed Lambda proxy response: ${faults.join('; ')}`)
}

interface HeaderLists {
  headers: Record<string, string>
  multiValueHeaders: Record<string, string[]>
}

/** Both header lists in one; `multiValueHeaders` wins where both have the same name and value. */
function merged({ headers, multiValueHeaders }: HeaderLists): Reply['headers'] {
  const multiple = Object.entries(multiValueHeaders).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const isRepeated = (line: [string, string]) => multiple.some(other => sameLine(other, line))
  return [...Object.entries(headers).filter(line => !isRepeated(line)), ...multiple]
}

const sameLine = ([name, value]: [string, string], [otherName, otherValue]: [string, string]) =>
  name.toLowerCase() === otherName.toLowerCase() && value === otherValue
