import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { type HttpHandler, type HttpRequest, HttpResponse } from '@smithy/core/protocols'
import { inject } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { engineIn } from '../../infra/dynamodb/engine.ts'
import { openClient } from '../../lib/store/client.ts'
import { abortable } from '../../lib/time.ts'
import type { FakeClock } from './fake-clock.ts'

const never = new AbortController().signal

interface TimeOuts {
  connectionTimeout: number
  requestTimeout: number
}

/**
 * The product's client for the engine that all tests share. The clock is frozen while a call is in flight. The client's
 * time-outs are off, because they use real time.
 */
export function openTestClient(clock: FakeClock): DynamoDBDocumentClient {
  const client = openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws })
  const sender = client.config.requestHandler as unknown as HttpHandler<TimeOuts>
  sender.updateHttpClientConfig('connectionTimeout', 0)
  sender.updateHttpClientConfig('requestTimeout', 0)
  client.middlewareStack.add(
    next => args => clock.freeze(() => next(args)),
    // Outside all other middlewares of the SDK and of the tests.
    { step: 'initialize', priority: 'high', name: 'freezeClock' },
  )
  return client
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
  const client = openTestClient(clock)
  if (process.env.DYNAMODB_ENDPOINT !== undefined) return client
  const { answer } = engineIn()
  const send: HttpHandler['handle'] = async ({ method, path, headers, body }: HttpRequest, options = {}) => {
    const signal = (options.abortSignal ?? never) as AbortSignal
    signal.throwIfAborted()
    const answered = answer(
      { method, url: path, headers: { ...headers, ...unsigned } },
      Buffer.concat([body]),
    )
    const { status, headers: replied, text } = await abortable(answered, signal)
    const named = Object.entries(replied).map(([name, value]) => [name.toLowerCase(), String(value)])
    return {
      response: new HttpResponse({
        statusCode: status,
        headers: Object.fromEntries(named),
        body: Buffer.from(text),
      }),
    }
  }
  client.middlewareStack.remove('httpSigningMiddleware')
  Object.assign(client.config.requestHandler, { handle: send })
  return client
}

/** A reply as received from the network. */
export interface RawReply {
  statusCode: number
  headers: Record<string, string>
  body: Buffer
}

/**
 * Changes the raw replies to a client's calls, before the SDK and the product read them.
 *
 * @param change gets each reply, and the name of its operation, such as GetItem
 */
export function tapWire(
  client: DynamoDBDocumentClient,
  change: (reply: RawReply, operation: string) => RawReply,
) {
  client.middlewareStack.add(
    next => async args => {
      const { headers } = args.request as { headers: Record<string, string> }
      const operation = String(headers['x-amz-target']).replace(/^.*\./, '')
      const result = await next(args)
      const response = result.response as Omit<RawReply, 'body'> & { body: unknown }
      const body =
        response.body instanceof Uint8Array
          ? Buffer.from(response.body)
          : Buffer.from(await client.config.streamCollector(response.body))
      const changed = change({ statusCode: response.statusCode, headers: response.headers, body }, operation)
      Object.assign(response, changed)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'tapWire' },
  )
}
