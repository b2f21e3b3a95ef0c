import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { dropTable } from '../../infra/resources/table.ts'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { checkLocalStack, localStackVariables } from '../../infra/localstack/deploy.ts'
import { localFolder, projectRoot } from '../../infra/project-root.ts'
import { type Deployment, mainJob } from './main-job.ts'

const endpoint = process.env.AWS_ENDPOINT_URL ?? ''
const isReachable = await checkLocalStack(endpoint).then(
  () => true,
  () => false,
)
if (!isReachable)
  process.stdout.write('test/engines/localstack.test.ts is skipped: LocalStack is not at AWS_ENDPOINT_URL.\n')

const TableName = 'saml-providers-localstack'
const maxMs = 600_000

describe.skipIf(!isReachable)('LocalStack', { timeout: maxMs }, () => {
  let deployment: Deployment
  const run = async (program: string, parameters: string[], more: Record<string, string>) => {
    const quickly = { SLS_AWS_MONITORING_FREQUENCY: '20', SLS_AWS_REQUEST_MAX_RETRIES: '0' }
    const env = { PATH: process.env.PATH, HOME: tmpdir(), ...quickly, ...more }
    return promisify(execFile)(process.execPath, [program, ...parameters], { cwd: projectRoot, env }).then(
      output => ({ code: 0, ...output }),
      (failure: { code: number; stdout: string; stderr: string }) => failure,
    )
  }
  const settingsOfCaller = {
    ...{ AWS_PROFILE: 'no-such', AWS_ACCESS_KEY_ID: 'callers-own', AWS_SECRET_ACCESS_KEY: 'secret' },
    AWS_ENDPOINT_URL_S3: 'https://s3.example',
  }
  const deploy = (...param: string[]) => {
    const options = param.flatMap(parameter => ['--param', parameter])
    const env = { ...settingsOfCaller, AWS_ENDPOINT_URL: endpoint }
    return run('infra/commands/deploy-localstack.ts', options, env)
  }
  const serverless = (...parameters: string[]) => {
    const program = 'node_modules/serverless/bin/serverless.js'
    return run(program, [...parameters, '--stage', 'localstack'], localStackVariables(endpoint))
  }
  const use = async (printed: string) => {
    const [, listUrl = ''] = /^curl .* (http\S+)/m.exec(printed) ?? []
    const { tokenFor } = await openIssuer(localFolder)
    deployment = { listUrl, deleteUrl: `${listUrl}/providers/`, tokenFor }
  }
  const listStatus = async () => {
    const headers = { authorization: `Bearer ${await deployment.tokenFor()}` }
    return (await fetch(deployment.listUrl, { headers })).status
  }

  beforeAll(async () => {
    const { code, stdout, stderr } = await deploy()
    expect(code, stdout + stderr).toBe(0)
    await use(stdout)
  }, maxMs)

  afterAll(async () => {
    await serverless('remove')
    const client = connectTo(endpoint)
    await dropTable(client, TableName)
    client.destroy()
  }, maxMs)

  mainJob(() => deployment)

  test('takes a changed parameter back by a rollback', async () => {
    for (const _ of ['changed', 'the same again']) {
      const { code, stderr } = await deploy('readScope=other:read')
      expect([code, stderr]).toEqual([0, expect.stringContaining('Service deployed')])
    }
    expect(await listStatus()).toBe(403)
    const { stdout } = await serverless('deploy', 'list')
    const [before = ''] = [...stdout.matchAll(/^Timestamp: (\d+)$/gm)].map(([, time]) => time).slice(-3)
    expect(await serverless('rollback', '--timestamp', before)).toMatchObject({ code: 0 })
    expect(await listStatus()).toBe(200)
  })

  test('deploys a stage again on the table that it left', async () => {
    await serverless('remove') // it fails at its end, because LocalStack has no ECR
    expect((await fetch(deployment.listUrl)).status).toBe(404)
    const client = connectTo(endpoint)
    onTestFinished(() => client.destroy())
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    expect(Table).toMatchObject({ TableStatus: 'ACTIVE' })

    const { code, stdout } = await deploy('createTable=false')
    expect(code).toBe(0)
    await use(stdout)
    expect(await listStatus()).toBe(200)
  })
})
