import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { HttpHandler } from '@smithy/core/protocols'
import { inject } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { delay } from '../../lib/time.ts'
import { documents } from './documents.ts'
import type { FakeClock } from './fake-clock.ts'

const never = new AbortController().signal

interface TimeOuts {
  connectionTimeout: number
  requestTimeout: number
}

/**
 * The product's client on the engine that all tests share. The clock stands still while one of its calls is in flight.
 * Its time-outs are off: they run on real time, which a busy machine uses up.
 *
 * @param callMs how much time of the clock each call takes; calls beside each other take theirs at once
 */
export function openTestClient(clock: FakeClock, callMs = 0): DynamoDBDocumentClient {
  const client = documents(openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws }))
  const sender = client.config.requestHandler as unknown as HttpHandler<TimeOuts>
  sender.updateHttpClientConfig('connectionTimeout', 0)
  sender.updateHttpClientConfig('requestTimeout', 0)
  client.middlewareStack.add(
    next => async args => {
      const reply = await clock.freeze(() => next(args))
      if (callMs > 0) await delay(clock, callMs, never)
      return reply
    },
    // Around everything that the SDK and other middlewares of the tests do.
    { step: 'initialize', priority: 'high', name: 'freezeClock' },
  )
  return client
}
