import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { refuseBrokenReplies } from './sound-replies.ts'

/** As many as the removal keeps busy. */
const socketsMax = 50
const connectionTimeoutMs = 1000
const requestTimeoutMs = 3000

/**
 * The SDK's client; region, endpoint and credentials are the environment's unless given.
 *
 * It tries each call once: retrying is the table's, which knows the request's deadline.
 */
export function openClient(
  where: Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'> = {},
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
  // It copies every answer for a log that nobody reads: half the CPU time of a large Query.
  client.middlewareStack.remove('loggerMiddleware')
  refuseBrokenReplies(client)
  return client
}
