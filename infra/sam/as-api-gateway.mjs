import { randomUUID } from 'node:crypto'

/**
 * Stands in front of a function in the containers of `sam local`, which gives every request the id and the time of its
 * own start, the latter in seconds before 2025 (aws-sam-cli, issues 9279 and 8020). API Gateway gives each its own, in
 * milliseconds; by it the function counts the time that it has left.
 */
export const asApiGateway = handle => (event, context) => {
  const own = { requestId: randomUUID(), requestTimeEpoch: Date.now() }
  return handle({ ...event, requestContext: { ...event.requestContext, ...own } }, context)
}
