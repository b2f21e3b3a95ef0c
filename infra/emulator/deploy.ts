import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { localAwsEnvironment, withoutCallersAws } from '../dynamodb/client.ts'
import { projectRoot } from '../project-root.ts'

export const usualEndpoint = 'http://127.0.0.1:4566'

const program = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')

/**
 * The variables with which the framework talks to an emulator alone, without any setting of the caller's AWS account.
 *
 * @internal
 */
export const emulatorVariables = (endpoint: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  // LocalStack maps any access key that is not a number to its account 000000000000.
  ...localAwsEnvironment,
})

/** As words before a command, or after `export`. @internal */
export const assignments = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** A line for the caller's shell, in which the emulator is then used: it takes away what would come before or between. */
export function shellLine(endpoint: string): string {
  const variables = emulatorVariables(endpoint)
  const kept = { ...withoutCallersAws(process.env), ...variables }
  const dropped = Object.keys(process.env).filter(name => !(name in kept))
  return `unset ${[...new Set(['AWS_PROFILE', ...dropped])].join(' ')}; export ${assignments(variables)}`
}

/** @throws Error of one sentence when neither LocalStack nor MiniStack answers */
export async function checkEmulator(endpoint: string): Promise<void> {
  const response = await fetch(`${endpoint}/_localstack/health`).catch(() => undefined)
  if (!response?.ok)
    throw new Error(
      `No emulator answers at ${endpoint}: start LocalStack or MiniStack, or set AWS_ENDPOINT_URL to its URL.`,
    )
}

/**
 * Deploys to the emulator by the framework, which prints its progress and the reason of a failure.
 *
 * @returns the URL of the API, by path, so that no host name has to be resolved; undefined when it is not deployed
 */
export async function deploy(
  endpoint: string,
  options: string[],
  stage: string,
): Promise<string | undefined> {
  const env = { ...withoutCallersAws(process.env), ...emulatorVariables(endpoint) }
  const start = (words: string[], output: 'inherit' | 'pipe') =>
    spawn(process.execPath, [program, ...words, '--stage', stage], {
      cwd: projectRoot,
      env,
      stdio: ['ignore', output, 'inherit'],
    })
  const [exitCode] = await once(start(['deploy', ...options], 'inherit'), 'close')
  if (exitCode !== 0) return undefined
  // The id of the API is the first part of its host's name.
  const { stdout } = start(['info'], 'pipe')
  const [, apiId] = /https:\/\/(\w+)\.execute-api\./.exec(stdout ? await text(stdout) : '') ?? []
  return apiId && `${endpoint}/_aws/execute-api/${apiId}/${stage}`
}
