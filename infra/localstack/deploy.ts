import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { localAws, localAwsEnvironment, withoutCallersAws } from '../dynamodb/client.ts'
import { projectRoot } from '../project-root.ts'
import { serviceName } from '../serverless/service-definition.ts'

export const usualEndpoint = 'http://127.0.0.1:4566'

const program = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')

/** The variables with which the framework talks to LocalStack alone, without any setting of the caller's AWS account. */
export const localStackVariables = (endpoint: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  // LocalStack maps any access key that is not a number to its account 000000000000.
  ...localAwsEnvironment,
})

/** @throws Error of one sentence when LocalStack does not answer */
export async function checkLocalStack(endpoint: string): Promise<void> {
  const response = await fetch(`${endpoint}/_localstack/health`).catch(() => undefined)
  if (!response?.ok)
    throw new Error(
      `LocalStack does not answer at ${endpoint}: start it, or set AWS_ENDPOINT_URL to its URL.`,
    )
}

/**
 * Deploys to LocalStack by the framework, which prints its progress and the reason of a failure.
 *
 * @returns the URL of the API, by path, so that no host name has to be resolved; undefined when it is not deployed
 */
export async function deploy(
  endpoint: string,
  options: string[],
  stage: string,
): Promise<string | undefined> {
  const framework = spawn(process.execPath, [program, 'deploy', ...options, '--stage', stage], {
    cwd: projectRoot,
    env: { ...withoutCallersAws(process.env), ...localStackVariables(endpoint) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [exitCode] = await once(framework, 'close')
  if (exitCode !== 0) return undefined
  return `${endpoint}/_aws/execute-api/${await apiIdOf(endpoint, stage)}/${stage}`
}

/** The id of a stage's API: the first part of the host name in the stack's output. */
async function apiIdOf(endpoint: string, stage: string): Promise<string> {
  const client = new CloudFormationClient({ endpoint, ...localAws })
  const asked = new DescribeStacksCommand({ StackName: `${serviceName}-${stage}` })
  const { Stacks: [stack] = [] } = await client.send(asked)
  const output = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'ServiceEndpoint')
  return new URL(String(output?.OutputValue)).hostname.split('.', 1).join()
}
