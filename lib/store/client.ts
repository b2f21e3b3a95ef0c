import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb'
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
): DynamoDBDocumentClient {
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
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: exactNumber },
  })
  // It copies every answer for a log that nobody reads: half the CPU time of a large Query.
  documents.middlewareStack.remove('loggerMiddleware')
  refuseBrokenReplies(documents)
  return documents
}

/** A stored number. One that JavaScript would round must not make its item unreadable, and stays what it is. */
function exactNumber(stored: string): number | NumberValue {
  const number = Number(stored)
  return String(number) === stored && Math.abs(number) <= Number.MAX_SAFE_INTEGER
    ? number
    : NumberValue.from(stored)
}
