import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { vi } from 'vitest'
import { dropTable } from '../../infra/resources/table.ts'
import { copyOfProject } from '../support/machine.ts'
import type { Place } from './place.ts'

/** Runs a program in Node. @returns its exit code and what it printed */
export const run = (cwd: string, program: string, words: string[], env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, [program, ...words], { cwd, env }).then(
    output => ({ code: 0, ...output }),
    (failure: { code: number; stdout: string; stderr: string }) => failure,
  )

export type Stage = ReturnType<typeof openStage>

/** For each change of a table, which AWS refuses while another one is made. */
const patience = { timeout: 300_000, interval: 1000 }

/** Opens a stage that does not exist yet, in a copy of the project. */
export function openStage(name: string, { endpoint, ...place }: Place) {
  const client = place.connect()
  const TableName = `saml-providers-${name}`
  const openedAt = new Date()
  const folder = copyOfProject(mkdtempSync(join(tmpdir(), 'stage-')))
  const stages = join(folder, 'infra/stages')
  if (endpoint !== undefined) copyFileSync(join(stages, 'localstack.yml'), join(stages, `${name}.yml`))

  const undeploy = `${place.prefix} npm run undeploy -- --stage ${name}`
  // The AWS CLI's version 1 does not read AWS_REGION; version 2 would show what it prints in a pager, which reads the next line.
  const aws = (command: string) =>
    `${place.prefix} aws dynamodb ${command} --region ${place.region} --table-name ${TableName} > /dev/null`
  // AWS refuses to delete a table while it is updated.
  const dropping = ['update-table --no-deletion-protection-enabled', 'wait table-exists', 'delete-table']
    .map(aws)
    .join(' && ')

  const serverless = (...words: string[]) =>
    run(folder, 'node_modules/serverless/bin/serverless.js', [...words, '--stage', name], place.env)

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

  /**
   * Deletes the stack. The framework does not wait until AWS has taken a failed deployment back, and until then AWS refuses it.
   *
   * @returns what is left, and why
   */
  async function deleteStack() {
    const lastTryAtMs = Date.now() + 900_000
    let printed = ''
    do {
      const { stdout, stderr } = await serverless('remove')
      printed = stdout + stderr
    } while (/cannot be deleted while in status \w+_IN_PROGRESS/.test(printed) && Date.now() < lastTryAtMs)
    return (await isAbsent()) ? [] : [`the stack, which this deletes: ${undeploy}\n${printed}`]
  }

  /** Deletes the table, if this stage made it. @returns what is left, and why */
  async function deleteTable() {
    try {
      const { Table } = await client.send(new DescribeTableCommand({ TableName }))
      if (!(Number(Table?.CreationDateTime) > openedAt.getTime()))
        return [`the table ${TableName}: it was there before`]
      const unprotected = { TableName, DeletionProtectionEnabled: false }
      await vi.waitFor(() => client.send(new UpdateTableCommand(unprotected)), patience)
      await vi.waitFor(() => dropTable(client, TableName), patience)
      return []
    } catch (error) {
      const { name, message } = error as Error
      if (name === 'ResourceNotFoundException') return []
      return [`the table ${TableName}, which this deletes: ${dropping}\n${message}`]
    }
  }

  return {
    TableName,
    client,
    folder,
    serverless,
    isAbsent,
    url,
    /** Says what to do when `remove` does not run. */
    ifInterrupted: `All is made in ${place.title}. If this is interrupted, paste these lines, and again later if one says "IN_PROGRESS":\n${undeploy}\n${dropping}\nrm -r ${folder}`,
    /** Deletes the stack, and the table if this stage made it. @throws Error that names what it did not delete, and why */
    async remove() {
      const left = [...(await deleteStack()), ...(await deleteTable())]
      if (left.length > 0) throw new Error([`Not deleted in ${place.title}:`, ...left].join('\n'))
    },
    close() {
      client.destroy()
      rmSync(folder, { recursive: true })
    },
  }
}
