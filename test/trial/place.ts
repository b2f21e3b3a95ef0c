import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { vi } from 'vitest'
import { connectTo, withoutCallersAws } from '../../infra/dynamodb/client.ts'
import { assignments, checkEmulator, emulatorVariables } from '../../infra/emulator/deploy.ts'
import { openClient } from '../../lib/store/client.ts'

/** Where stages are made: one place for the client, the framework, and whoever deletes a stage by hand. */
export interface Place {
  /** In a rehearsal an emulator is asked for all that AWS does; otherwise it may have its faults. */
  kind: 'AWS' | 'rehearsal' | 'emulator'
  /** What to call it: a region and, if it is known, the account; or an URL. */
  title: string
  region: string
  /** The URL of an emulator. */
  endpoint?: string
  connect(): DynamoDBDocumentClient
  /** For the framework. */
  env: NodeJS.ProcessEnv
  /** With these words a line begins that works here when it is pasted; they have no key of an account. */
  prefix: string
}

/**
 * Opens the place that the variables AWS_TRIAL and AWS_ENDPOINT_URL name; for an account it sets two others.
 *
 * @returns undefined when they name none, or an emulator that does not answer and need not
 * @throws Error that says why a trial cannot begin
 */
export async function openPlace(): Promise<Place | undefined> {
  const isTrial = process.env.AWS_TRIAL === '1'
  const endpoint = process.env.AWS_ENDPOINT_URL
  if (!endpoint) return isTrial ? openAccount() : undefined
  const emulator = checkEmulator(endpoint).then(() => emulatorAt(endpoint, isTrial))
  return isTrial ? emulator : emulator.catch(() => undefined)
}

/** The SDK asks for no second factor, and takes AWS_PROFILE before keys: it stays unless there are keys. */
const fromCli = `If version 2 of the AWS CLI has them, paste this line before you try again:
keys=$(aws configure export-credentials --format env) && eval "$keys" && unset AWS_PROFILE`

/** The account whose credentials the caller has. @throws Error that says what to do when nobody can tell, or not all sides alike */
async function openAccount(): Promise<Place> {
  if (process.env.AWS_DEFAULT_PROFILE)
    throw new Error('The AWS SDK does not know AWS_DEFAULT_PROFILE: unset it, and set AWS_PROFILE.')
  const region = process.env.AWS_REGION || 'eu-central-1' // as in serverless.yml
  // The caller's shell or profile may have endpoints for some services, which not all sides call.
  const variables = { AWS_REGION: region, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }
  const before = { ...process.env }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  const connect = () => openClient({ region }, 60_000)
  const { accountId } = await connect()
    .config.credentials()
    .catch(({ message }: Error) => {
      for (const name of Object.keys(variables)) vi.stubEnv(name, before[name])
      throw new Error(
        `AWS_TRIAL=1 needs the credentials of an AWS account, or the AWS_ENDPOINT_URL of an emulator: ${message.replace(/\.$/, '')}. ${fromCli}`,
      )
    })
  const title = accountId === undefined ? region : `${region} of the account ${accountId}`
  return { kind: 'AWS', title, region, connect, env: process.env, prefix: assignments(variables) }
}

/** The framework asks an emulator more often than it may ask AWS. */
const quickly = { SLS_AWS_MONITORING_FREQUENCY: '20', SLS_AWS_REQUEST_MAX_RETRIES: '0' }

/** An emulator, which gets nothing of the caller's AWS settings. */
function emulatorAt(endpoint: string, isTrial: boolean): Place {
  const variables = emulatorVariables(endpoint)
  return {
    kind: isTrial ? 'rehearsal' : 'emulator',
    title: endpoint,
    region: variables.AWS_REGION,
    endpoint,
    connect: () => connectTo(endpoint),
    env: { ...withoutCallersAws(process.env), ...variables, ...quickly },
    prefix: `env -i PATH="$PATH" ${assignments(variables)}`,
  }
}
