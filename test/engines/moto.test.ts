import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListBackupsCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand, GetBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectTo, localAws, localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { endpoints, scheduledFunctions } from '../../infra/serverless/service-definition.ts'
import { itemsOf } from '../data/scenario.ts'
import { issuers } from '../infra/serverless/packaged.ts'
import { allItems, putItems } from '../support/put-items.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { runCommand } from './run-command.ts'

const endpoint = process.env.AWS_ENDPOINT_URL ?? ''
const isReachable = await fetch(`${endpoint}/moto-api/`).then(
  ({ ok }) => ok,
  () => false,
)
if (!isReachable)
  process.stdout.write('test/engines/moto.test.ts is skipped: moto is not at AWS_ENDPOINT_URL.\n')

const stage = 'engines'
const region = 'eu-central-1'
const maxMs = 600_000

describe.skipIf(!isReachable)('moto', { timeout: maxMs }, () => {
  const stageFile = join(tmpdir(), `stage-${randomUUID()}.yml`)
  const params = { gatewayAccessLogs: true, logRetentionDays: 365, tableName: `engines-${randomUUID()}` }
  const written = JSON.stringify({ params: { ...params, issuers: JSON.parse(issuers) } })
  beforeAll(() => writeFileSync(stageFile, written)) // not here, where it would also happen when these are skipped
  afterAll(() => rmSync(stageFile))

  const run = (name: string, ...options: string[]) =>
    runCommand(name, ['--stage', stage, '--stage-file', stageFile, ...options], {
      AWS_ENDPOINT_URL: endpoint,
    })

  /** Calls moto without a client of the SDK. @returns undefined when it refuses */
  const ask = async (service: string, path: string, init: RequestInit = {}) => {
    const scope = `x/20261121/${region}/${service}/aws4_request`
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`
    const response = await fetch(endpoint + path, { ...init, headers: { authorization, ...init.headers } })
    // biome-ignore lint/suspicious/noExplicitAny: a missing property fails the test
    return response.ok ? (response.json() as any) : undefined
  }

  const runShell = (lines: string) => {
    const env = { ...process.env, ...localAwsEnvironment, AWS_ENDPOINT_URL: endpoint }
    return promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], { cwd: projectRoot, env })
  }

  /** Runs the lines of a section of a page, with these values instead of those in its first line. */
  const runSteps = (page: string, number: number, values: string) => {
    const section = readFileSync(join(projectRoot, 'infra', page), 'utf8').split('\n## ')[number] ?? ''
    const steps = [...section.matchAll(/^```bash\n(.*?)^```/gms)].map(([, lines]) => lines).join('')
    return runShell(steps.replace(/^region=.*/, `region=${region} stage=${stage} ${values}`))
  }

  const functionName = (name: string) => `deprecated-saml-endpoints-${stage}-${name}`

  /** The environment variables of the deployed list function. */
  const variables = async () => {
    const path = `/2015-03-31/functions/${functionName('listSamlProviders')}`
    return (await ask('lambda', path))?.Configuration.Environment.Variables
  }

  /** The names of the stage's log groups. */
  const logGroups = async () => {
    const headers = {
      'x-amz-target': 'Logs_20140328.DescribeLogGroups',
      'content-type': 'application/x-amz-json-1.1',
    }
    const { logGroups } = await ask('logs', '/', { method: 'POST', headers, body: '{}' })
    const names: string[] = logGroups.map((one: { logGroupName: string }) => one.logGroupName)
    return names.filter(name => name.includes(`endpoints-${stage}`))
  }

  test('receives a deployment', async () => {
    const { code, stdout, stderr, otherHosts } = await run('deploy')
    expect({ code, otherHosts }, stdout + stderr).toEqual({ code: 0, otherHosts: [] })
    expect(await variables()).toMatchObject({ RETENTION_DAYS: '7' })
  })

  test('applies a changed parameter', async () => {
    const { code, stdout, stderr } = await run('deploy', '--param', 'retentionDays=8')
    expect(code, stdout + stderr).toBe(0)
    expect(await variables()).toMatchObject({ RETENTION_DAYS: '8' })
  })

  test('previews what a parameter changes, and changes nothing', async () => {
    const changed = /^change +ListSamlProvidersLambdaFunction /m
    const same = await run('deploy', '--preview', '--param', 'retentionDays=8')
    expect(same.stdout).toContain('Stage engines would not change.')
    const { code, stdout } = await run('deploy', '--preview', '--param', 'retentionDays=9')
    expect(stdout).toMatch(changed)
    expect(code).toBe(0)
    expect(await variables()).toMatchObject({ RETENTION_DAYS: '8' })
  })

  test('resets no parameter that a deployment forgets', async () => {
    const { code, stderr } = await run('deploy')
    expect(stderr).toMatch(/^Stage engines runs with retentionDays=8, which this deployment does not name/)
    expect(code).toBe(1)
    expect(await variables()).toMatchObject({ RETENTION_DAYS: '8' })
  })

  test("keeps the log groups of its template, the gateway's access log included", async () => {
    expect(await logGroups()).toHaveLength(4)
  })

  test('keeps its table when a deployment names another one', async () => {
    const { code, stderr } = await run('deploy', '--param', 'tableName=engines-other')
    expect(stderr).toMatch(/^Stage engines uses the table engines-[^\n]+ change it with --change-table\.\n$/)
    expect(code).toBe(1)
  })

  test('restores its table by the steps of recovery.md, which leave it on and nothing behind', async () => {
    const { tableName: table } = params
    const client = connectTo(endpoint)
    onTestFinished(() => client.destroy())
    await putItems(
      client,
      table,
      itemsOf([sampleProvider(1, 10)], [sampleUser(1, { saml: 1 }), sampleUser(2, { sso: 10 })]),
    )
    const before = await allItems(client, table)
    const on = { PointInTimeRecoveryEnabled: true } // moto does not read it in the template
    await client.send(
      new UpdateContinuousBackupsCommand({ TableName: table, PointInTimeRecoverySpecification: on }),
    )

    await runSteps('recovery.md', 1, `table=${table} moment=${new Date().toISOString()}`)

    expect(await allItems(client, table)).toEqual(before)
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
    expect(Table).toMatchObject({ DeletionProtectionEnabled: true, RestoreSummary: {} })
    const ofTags = new ListTagsOfResourceCommand({ ResourceArn: Table?.TableArn })
    expect((await client.send(ofTags)).Tags).toContainEqual({ Key: 'stage', Value: stage })
    const ofBackups = new DescribeContinuousBackupsCommand({ TableName: table })
    expect((await client.send(ofBackups)).ContinuousBackupsDescription).toMatchObject({
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
    })
    const ofTtl = new DescribeTimeToLiveCommand({ TableName: table })
    expect((await client.send(ofTtl)).TimeToLiveDescription?.TimeToLiveStatus).toBe('ENABLED')
    expect((await client.send(new ListTablesCommand())).TableNames).not.toContain(`${table}-restored`)
    expect((await client.send(new ListBackupsCommand())).BackupSummaries).toEqual([])
    for (const { name } of [...endpoints, ...scheduledFunctions])
      expect(await ask('lambda', `/2019-09-30/functions/${functionName(name)}/concurrency`)).toEqual({
        ReservedConcurrentExecutions: null,
      })
  })

  test('exports its logs by the steps of switch-off.md', async () => {
    const s3 = new S3Client({ ...localAws, endpoint, forcePathStyle: true })
    onTestFinished(() => s3.destroy())
    const Bucket = `logs-${randomUUID()}`
    await s3.send(new CreateBucketCommand({ Bucket }))
    const { stdout } = await runSteps('switch-off.md', 2, `bucket=${Bucket}`)
    const names = [...endpoints, ...scheduledFunctions].map(({ name }) => name)
    expect(stdout).toBe(names.map(name => `${name} COMPLETED\n`).join(''))
    const { Policy = '' } = await s3.send(new GetBucketPolicyCommand({ Bucket }))
    expect(JSON.parse(Policy).Statement).toMatchObject([
      { Action: 's3:GetBucketAcl', Resource: `arn:aws:s3:::${Bucket}` },
      { Action: 's3:PutObject', Resource: `arn:aws:s3:::${Bucket}/*` },
    ])
  })

  test("makes the deployer's role by the steps of README.md", async () => {
    await runSteps('README.md', 1, 'account=123456789012 repository=acme/saml')
    const iam = async (command: string) => (await runShell(`aws --region ${region} iam ${command}`)).stdout
    const provider = 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com'
    const role = `--role-name deploys-saml-${stage}`
    expect(await iam(`get-role ${role}`)).toMatch(/"arn:aws:iam::123456789012:.+:acme\/saml:.+:engines"/s)
    await iam(`delete-open-id-connect-provider --open-id-connect-provider-arn ${provider}`)
    await iam(`delete-role-policy ${role} --policy-name deployer`)
    await iam(`delete-role ${role}`)
  })

  test('removes the deployment by undeploy, except for the table, and the logs only when told so', async () => {
    const { code, stdout } = await run('undeploy', '--yes', '--delete-logs')
    expect(stdout).toMatch(new RegExp(`^Stage ${stage} is removed\\. Its table engines-\\S+ stays`, 'm'))
    expect(code).toBe(0)
    expect(await variables()).toBeUndefined()
    expect(await logGroups()).toEqual([])
  })
})
