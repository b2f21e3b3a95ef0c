import { readUrl } from '../command-line/values.ts'
import { localAwsEnvironment, withoutCallersAws } from '../dynamodb/client.ts'

/** Where LocalStack listens unless it is told otherwise. */
export const usualEndpoint = 'http://localhost:4566'

/** @throws Error of one sentence */
export const readEndpoint = (text: string | undefined) =>
  (readUrl('AWS_ENDPOINT_URL', usualEndpoint, text) ?? usualEndpoint).replace(/\/+$/, '')

/** What makes the framework deploy there and nowhere else, whatever AWS account the caller has. */
export function environmentFor(endpoint: string, own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...withoutCallersAws(own),
    AWS_ENDPOINT_URL: endpoint,
    // LocalStack takes any key that is not a number for that of its account 000000000000.
    ...localAwsEnvironment,
  }
}

/**
 * The URL of the deployment as the machine that runs this reaches it: LocalStack serves an API under a path, so that
 * no name has to be resolved.
 *
 * @param output the deployed URL, in Amazon's form or, as LocalStack rewrites it, in its own
 */
export function reachableUrl(endpoint: string, output: string): string {
  const [, apiId, path] = /^https?:\/\/([^./]+)\.execute-api\.[^/]+(\/.+)$/.exec(output) ?? []
  if (apiId === undefined) throw new Error(`The stack's URL is not one of an API: ${output}`)
  return `${endpoint}/_aws/execute-api/${apiId}${path}`
}
