import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http'
import { isOwnHost } from '../listen.ts'

/** An item on the wire, such as `{ "PK": { "S": "text" } }`. */
export type WireItem = Record<string, Record<string, unknown>>

export interface Received {
  headers: IncomingHttpHeaders
  method?: string | undefined
  url?: string | undefined
}

export interface Reply {
  status: number
  headers: OutgoingHttpHeaders
  text: string
}

/** Calls an operation of dynalite. @throws Refused with dynalite's error */
export type Call = (operation: string, input: object) => Promise<Record<string, unknown>>

/** An operation that dynalite does not have, made of operations that it has. @throws Refused */
export type Operation = (input: object, call: Call) => Promise<Reply>

/** An error of DynamoDB: status 400, its name in `__type`. */
export class Refused extends Error {
  override readonly name: string
  readonly more: object

  /** @param more further members of the answer */
  constructor(name: string, message: string, more: object = {}) {
    super(message)
    this.name = name
    this.more = more
  }
}

const service = 'com.amazonaws.dynamodb.v20120810'

/**
 * The reply of an error. The operations check no types: what is not JSON, or has a value of another type than DynamoDB's,
 * causes an error of JavaScript before the first write.
 */
export function refusal(error: Error): Reply {
  const { name, more } = error instanceof Refused ? error : { name: 'SerializationException', more: {} }
  return reply({ __type: `${service}#${name}`, message: error.message, ...more }, 400)
}

export const reply = (output: object, status = 200): Reply => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.0' },
  text: JSON.stringify(output),
})

/**
 * The reply to what a web page in a browser on this machine could send, undefined for any other request. Browsers send
 * `Origin` with each request that can read or change data.
 *
 * @param hosts the names by which programs call the engine, beside those of this machine
 */
export function refusalOfWebPage(
  { headers: { origin, host = '' } }: Received,
  hosts: readonly string[],
): Reply | undefined {
  if (origin === undefined && isOwnHost(host, hosts)) return undefined
  const message = `It answers no web page, and no request for the host "${host}"`
  return reply({ __type: `${service}#Forbidden`, message }, 403)
}

/** Calls dynalite with the credentials and the API version of a received request. */
export function callWith(handle: RequestListener, { method, url, headers }: Received): Call {
  const version = String(headers['x-amz-target']).replace(/\..*$/, '')
  return async (operation, input) => {
    const request = { method, url, headers: { ...headers, 'x-amz-target': `${version}.${operation}` } }
    const { status, text } = await inProcess(handle, request, Buffer.from(JSON.stringify(input)))
    // Another method or content type: dynalite answers without JSON.
    if (!text.startsWith('{')) throw new Refused('UnknownOperationException', text)
    const output = JSON.parse(text)
    if (status === 200) return output
    throw new Refused(String(output.__type).replace(/^.*#/, ''), output.message ?? output.Message ?? '')
  }
}

/**
 * Passes a request with a complete body to dynalite, without a connection.
 *
 * @throws what dynalite throws: an error of JavaScript at null in the place of an attribute value
 */
export function inProcess(
  handle: RequestListener,
  { method, url, headers }: Received,
  body: Buffer,
): Promise<Reply> {
  return new Promise(resolve => {
    const request = Object.assign(new EventEmitter(), { method, url, headers })
    const replied: OutgoingHttpHeaders = {}
    const response = {
      statusCode: 200,
      setHeader(name: string, value: string) {
        replied[name] = value
      },
      end: (text = '') => resolve({ status: response.statusCode, headers: replied, text }),
    }
    handle(request as never, response as never)
    if (body.length > 0) request.emit('data', body)
    request.emit('end')
  })
}
