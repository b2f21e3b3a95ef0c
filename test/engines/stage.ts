import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { vi } from 'vitest'
import { connectTo, localAwsEnvironment, withoutCallersAws } from '../../infra/dynamodb/client.ts'
import { localStackVariables } from '../../infra/localstack/deploy.ts'
import { dropTable } from '../../infra/resources/table.ts'
import { openClient } from '../../lib/store/client.ts'
import { copyOfProject } from '../support/machine.ts'

/** Runs a program in Node. @returns its exit code and what it printed */
export const run = (cwd: string, program: string, words: string[], env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, [program, ...words], { cwd, env }).then(
    output => ({ code: 0, ...output }),
    (failure: { code: number; stdout: string; stderr: string }) => failure,
  )

/** @throws Error of one sentence when there are no credentials of an AWS account */
export async function checkCredentials(): Promise<void> {
  await openClient()
    .config.credentials()
    .catch(({ message }: Error) => {
      throw new Error(
        `AWS_TRIAL=1 needs the credentials of an AWS account, or the AWS_ENDPOINT_URL of an emulator: ${message}.`,
      )
    })
}

/** The framework asks an emulator more often than it may ask AWS. */
const quickly = { SLS_AWS_MONITORING_FREQUENCY: '20', SLS_AWS_REQUEST_MAX_RETRIES: '0' }

export type Stage = ReturnType<typeof openStage>

/**
 * Opens a stage that does not exist yet, in a copy of the project.
 *
 * @param endpoint of an emulator, which gets nothing of the caller's AWS settings; without it the stage is in the account of
 *   the caller's credentials
 */
export function openStage(name: string, endpoint?: string) {
  const { AWS_REGION = 'eu-central-1' } = endpoint === undefined ? process.env : localAwsEnvironment // as in serverless.yml
  const client = endpoint === undefined ? openClient({ region: AWS_REGION }, 60_000) : connectTo(endpoint)
  const TableName = `saml-providers-${name}`
  const openedAt = new Date()
  const folder = copyOfProject(mkdtempSync(join(tmpdir(), 'stage-')))
  const stages = join(folder, 'infra/stages')
  if (endpoint !== undefined) copyFileSync(join(stages, 'localstack.yml'), join(stages, `${name}.yml`))
  const env =
    endpoint === undefined
      ? process.env
      : { ...withoutCallersAws(process.env), ...localStackVariables(endpoint), ...quickly }

  const serverless = (...words: string[]) =>
    run(folder, 'node_modules/serverless/bin/serverless.js', [...words, '--stage', name], env)

  /** Whether there is no stack of this name, as the framework says. */
  async function isAbsent() {
    const { stdout, stderr } = await serverless('info')
    return /Stack with id \S+ does not exist/.test(stdout + stderr)
  }

  /** The URL of the deployed API; on an emulator by path, so that no host name has to be resolved. */
  async function url() {
    const { stdout } = await serverless('info')
    const [address = '', id] = /https:\/\/(\w+)\.execute-api\.[^/]+\/[\w-]+/.exec(stdout) ?? []
    return endpoint === undefined ? address : `${endpoint}/_aws/execute-api/${id}/${name}`
  }

  async function deleteTable() {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    if (!(Number(Table?.CreationDateTime) > openedAt.getTime())) throw new Error('it was there before')
    await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }))
    // AWS refuses it while the table is updated.
    await vi.waitFor(() => dropTable(client, TableName), { timeout: 600_000, interval: 1000 })
  }

  const byHand = `AWS_REGION=${AWS_REGION} npm run undeploy -- --stage ${name}, then delete the table ${TableName}`
  return {
    TableName,
    client,
    folder,
    serverless,
    isAbsent,
    url,
    /** What to do when `remove` does not run, or cannot. */
    byHand,
    /** Deletes the stack, and the table if this stage made it. @throws Error that names what it did not delete, and why */
    async remove() {
      const left: string[] = []
      const { stdout, stderr } = await serverless('remove')
      if (!(await isAbsent())) left.push(`The stack of the stage ${name}: ${stdout}${stderr}`)
      await deleteTable().catch((error: Error) => {
        if (error.name !== 'ResourceNotFoundException') left.push(`The table ${TableName}: ${error}`)
      })
      if (left.length > 0) throw new Error(['Not deleted:', ...left, `By hand: ${byHand}.`].join('\n'))
    },
    close() {
      client.destroy()
      rmSync(folder, { recursive: true })
    },
  }
}
