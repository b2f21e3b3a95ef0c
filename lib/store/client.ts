import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb'

const connectionTimeoutMs = 1000
/** For a call of a function, whose client waits. */
const requestTimeoutMsDefault = 3000

/**
 * The steps of a call that do nothing for a table: a copy of every reply for a log that is off (half the CPU time of a large
 * Query), and headers with the SDK's version and with the trace of an invocation (a tenth of a small call).
 */
const unneeded = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware']

/**
 * Opens the SDK's document client; region, endpoint and credentials default to the environment's. Whatever it reads, it can
 * write unchanged.
 *
 * It makes one attempt per call: `withRetry` repeats calls within the request's deadline. The SDK keeps up to 50 connections,
 * at least as many as a removal has concurrent calls.
 *
 * @param requestTimeoutMs the maximum duration of an attempt, in milliseconds
 */
export function openClient(
  where: Pick<DynamoDBClientConfig, 'region' | 'profile' | 'endpoint' | 'credentials'> = {},
  requestTimeoutMs = requestTimeoutMsDefault,
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...where,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
  for (const name of unneeded) client.middlewareStack.remove(name)
  return DynamoDBDocumentClient.from(client, {
    unmarshallOptions: { wrapNumbers: exactNumber },
    // For what was read: a map with a member `constructor`, and a set with a NumberValue beside numbers.
    marshallOptions: { convertClassInstanceToMap: true, allowImpreciseNumbers: true },
  })
}

/** A number that JavaScript would round stays as it is stored. */
function exactNumber(stored: string): number | NumberValue {
  const number = Number(stored)
  const isExact = String(number) === stored && Math.abs(number) <= Number.MAX_SAFE_INTEGER
  return isExact ? number : NumberValue.from(stored)
}
