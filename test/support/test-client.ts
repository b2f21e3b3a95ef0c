import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { type HttpHandler, HttpRequest, HttpResponse } from '@smithy/core/protocols'
import { inject } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { embeddedEngine } from '../../infra/dynamodb/engine.ts'
import { openClient } from '../../lib/store/client.ts'
import { abortable } from '../../lib/time.ts'
import type { FakeClock } from './fake-clock.ts'

/** A reply of DynamoDB as received from the network. */
export interface Reply {
  statusCode: number
  headers: Record<string, string>
  body: Buffer
}

/** One call before it is sent. */
export interface Call {
  /** The number of the call in its plan, from 1. */
  n: number
  /** The operation's name, such as BatchGetItem. */
  operation: string
  /** The operation's input as sent. */
  body: Record<string, unknown>
  /** Sends it, once or more, with the given body or its own. @throws AbortError when its sender has given up */
  send: (body?: Call['body']) => Promise<Reply>
  /** The same for a call that was under way when its sender gave up. */
  sendLate: Call['send']
}

/** Decides what happens to a call. */
export type Plan = (call: Call) => Promise<Reply>

const plans = new AsyncLocalStorage<(call: Omit<Call, 'n'>) => Promise<Reply>>()

/** Runs the work with a plan for its calls; what the plan sends goes to the plan around it, if there is one. */
export function withPlan<T>(plan: Plan, work: () => Promise<T>): Promise<T> {
  const around = plans.getStore()
  let calls = 0
  const run = (call: Omit<Call, 'n'>) => {
    const send: Call['send'] = (body = call.body) =>
      around === undefined
        ? call.send(body)
        : around({ ...call, body, send: (changed = body) => call.send(changed) })
    return plan({ ...call, n: ++calls, send })
  }
  return plans.run(run, work)
}

/** Runs the work without the current plans. */
export const withoutPlan = <T>(work: () => Promise<T>): Promise<T> => plans.exit(work)

/** The output of an operation in a reply. */
export const outputOf = ({ body }: Reply) => JSON.parse(String(body))

/** A reply with this output. */
export const replyOf = (output: object, statusCode = 200): Reply => ({
  statusCode,
  headers: {},
  body: Buffer.from(JSON.stringify(output)),
})

/** Sends a request to an engine, unless the signal has aborted. */
type Send = (request: HttpRequest, signal: AbortSignal) => Promise<Reply>

const never = new AbortController().signal

/**
 * The product's client for the engine that all tests share. Plans decide what happens to its calls. The clock is frozen
 * while a call is in flight. The client's time-outs are off, because they use real time.
 */
export function openTestClient(clock: FakeClock): DynamoDBDocumentClient {
  const client = openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws })
  const handler = client.config.requestHandler as unknown as HttpHandler<Record<string, number>>
  handler.updateHttpClientConfig('connectionTimeout', 0)
  handler.updateHttpClientConfig('requestTimeout', 0)
  const handle = handler.handle.bind(handler)
  return sendingBy(client, clock, async (request, abortSignal) => {
    const { response } = await handle(request, { abortSignal })
    const { statusCode, headers, body } = response
    return { statusCode, headers, body: Buffer.from(await client.config.streamCollector(body)) }
  })
}

/** The engine reads no signature; to make one takes a tenth of a call. */
const unsigned = {
  'x-amz-date': 'any',
  authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none',
}

/**
 * The same with an engine of its own in this process, whose calls take no connection and half the time: for tables that
 * nobody else reads. The engine goes with the client: it keeps old items in memory. With DYNAMODB_ENDPOINT, it is that one.
 */
export function openOwnClient(clock: FakeClock): DynamoDBDocumentClient {
  if (process.env.DYNAMODB_ENDPOINT !== undefined) return openTestClient(clock)
  const client = openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws })
  client.middlewareStack.remove('httpSigningMiddleware')
  const { answer } = embeddedEngine()
  return sendingBy(client, clock, async ({ method, path, headers, body }, signal) => {
    signal.throwIfAborted()
    const answered = answer({ method, url: path, headers: { ...headers, ...unsigned } }, body)
    const { status, headers: replied, text } = await abortable(answered, signal)
    const named = Object.entries(replied).map(([name, value]) => [name.toLowerCase(), String(value)])
    return { statusCode: status, headers: Object.fromEntries(named), body: Buffer.from(text) }
  })
}

/** Lets plans stand between a client and its engine: the only place where tests see, change or delay calls. */
function sendingBy(client: DynamoDBDocumentClient, clock: FakeClock, engine: Send): DynamoDBDocumentClient {
  const handle: HttpHandler['handle'] = async (request, options = {}) => {
    const signal = (options.abortSignal ?? never) as AbortSignal
    const sent = Buffer.concat([request.body])
    const sending =
      (signal: AbortSignal): Call['send'] =>
      body =>
        engine(withBody(request, body === undefined ? sent : Buffer.from(JSON.stringify(body))), signal)
    const plan = plans.getStore() ?? (({ send }) => send())
    const call = {
      operation: String(request.headers['x-amz-target']).replace(/^.*\./, ''),
      body: JSON.parse(String(sent)),
      send: sending(signal),
      sendLate: sending(never),
    }
    // A call that its sender gives up stays frozen until it ends: its plan may still wait in a thaw.
    const replied = clock.freeze(() => plan(call))
    try {
      const reply = await abortable(replied, signal)
      signal.throwIfAborted()
      return { response: new HttpResponse(reply) }
    } catch (error) {
      throw signal.aborted ? Object.assign(new Error('Request aborted'), { name: 'AbortError' }) : error
    }
  }
  Object.assign(client.config.requestHandler, { handle })
  return client
}

function withBody(request: HttpRequest, body: Buffer): HttpRequest {
  const headers = { ...request.headers, 'content-length': String(body.length) }
  return Object.assign(HttpRequest.clone(request), { body, headers })
}
