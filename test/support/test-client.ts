import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { HttpHandler } from '@smithy/core/protocols'
import { inject } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { delay } from '../../lib/time.ts'
import type { FakeClock } from './fake-clock.ts'

const never = new AbortController().signal

interface TimeOuts {
  connectionTimeout: number
  requestTimeout: number
}

/**
 * The product's client for the engine that all tests share. The clock is frozen while a call is in flight. The client's
 * time-outs are off, because they use real time.
 *
 * @param callMs duration of each call on the clock, in milliseconds; concurrent calls take it at the same time
 */
export function openTestClient(clock: FakeClock, callMs = 0): DynamoDBDocumentClient {
  const client = openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws })
  const sender = client.config.requestHandler as unknown as HttpHandler<TimeOuts>
  sender.updateHttpClientConfig('connectionTimeout', 0)
  sender.updateHttpClientConfig('requestTimeout', 0)
  client.middlewareStack.add(
    next => async args => {
      const reply = await clock.freeze(() => next(args))
      if (callMs > 0) await delay(clock, callMs, never)
      return reply
    },
    // Outside all other middlewares of the SDK and of the tests.
    { step: 'initialize', priority: 'high', name: 'freezeClock' },
  )
  return client
}
