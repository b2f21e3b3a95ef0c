import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { refuseBrokenReplies } from './broken-reply.ts'

/** At least the number of concurrent calls of a removal. */
const socketsMax = 50
const connectionTimeoutMs = 1000
/** For a call of a function, whose client waits. */
const requestTimeoutMsDefault = 3000

/**
 * Opens the SDK's client; region, endpoint and credentials default to the environment's.
 *
 * It makes one attempt per call: `withRetry` repeats calls within the request's deadline.
 *
 * @param requestTimeoutMs the maximum duration of an attempt, in milliseconds
 */
export function openClient(
  where: Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'> = {},
  requestTimeoutMs = requestTimeoutMsDefault,
): DynamoDBClient {
  const client = new DynamoDBClient({
    ...where,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: socketsMax, keepAlive: true },
      httpsAgent: { maxSockets: socketsMax, keepAlive: true },
    },
  })
  // It copies every reply for a log that is off: half the CPU time of a large Query.
  client.middlewareStack.remove('loggerMiddleware')
  refuseBrokenReplies(client)
  return client
}
