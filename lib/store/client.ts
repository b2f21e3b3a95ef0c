import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb'

/** For a call of a function, whose client waits. */
const requestTimeoutMsDefault = 3000

/**
 * Opens the SDK's document client; region, endpoint and credentials default to the environment's. Whatever it reads, it can
 * write unchanged.
 *
 * It makes one attempt per call: `withRetry` repeats calls within the request's deadline.
 *
 * @param requestTimeoutMs the maximum duration of an attempt, in milliseconds; a third of it for the connection
 */
export function openClient(
  where: Pick<DynamoDBClientConfig, 'region' | 'profile' | 'endpoint' | 'credentials'> = {},
  requestTimeoutMs = requestTimeoutMsDefault,
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...where,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: requestTimeoutMs / 3,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
  // It copies every reply for a log that is off: a third of the CPU time of a Query of 1,000 items.
  client.middlewareStack.remove('loggerMiddleware')
  return DynamoDBDocumentClient.from(client, {
    unmarshallOptions: { wrapNumbers: exactNumber },
    // For what was read: a map with a member `constructor`, and a set with a NumberValue beside numbers.
    marshallOptions: { convertClassInstanceToMap: true, allowImpreciseNumbers: true },
  })
}

/** A number that JavaScript would round stays as it is stored. */
export function exactNumber(stored: string): number | NumberValue {
  const number = Number(stored)
  const isExact = String(number) === stored && Math.abs(number) <= Number.MAX_SAFE_INTEGER
  return isExact ? number : NumberValue.from(stored)
}
