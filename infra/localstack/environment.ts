import { readUrl } from '../command-line/values.ts'
import { localAwsEnvironment, withoutCallersAws } from '../dynamodb/client.ts'
import { usualEndpoint } from '../serverless/aws.ts'

/** @throws Error of one sentence */
export const readEndpoint = (text: string | undefined) =>
  (readUrl('AWS_ENDPOINT_URL', usualEndpoint, text) ?? usualEndpoint).replace(/\/+$/, '')

/** The environment in which the framework deploys to LocalStack only, without any setting of the caller's AWS account. */
export function environmentFor(endpoint: string, own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...withoutCallersAws(own),
    AWS_ENDPOINT_URL: endpoint,
    // LocalStack maps any access key that is not a number to its account 000000000000.
    ...localAwsEnvironment,
  }
}

/**
 * The URL of a deployed API on LocalStack's endpoint, by path, so that no host name has to be resolved.
 *
 * @param output the deployed URL, in Amazon's form or in LocalStack's
 */
export function reachableUrl(endpoint: string, output: string): string {
  const [, apiId, path] = /^https?:\/\/([^./]+)\.execute-api\.[^/]+(\/.+)$/.exec(output) ?? []
  if (apiId === undefined) throw new Error(`The stack's output is not the URL of an API: ${output}`)
  return `${endpoint}/_aws/execute-api/${apiId}${path}`
}
