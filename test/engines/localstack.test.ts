import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { localAws } from '../../infra/dynamodb/client.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localFolder, projectRoot } from '../../infra/project-root.ts'
import { reachLocalStack } from '../../infra/localstack/reach.ts'
import { mainJob, type Deployment } from './main-job.ts'
import { allows, deployerPolicy } from '../support/deployer-policy.ts'
import { record } from './recorder.ts'
import { runCommand } from './run-command.ts'

const endpoint = process.env.AWS_ENDPOINT_URL ?? ''
const isReachable = await reachLocalStack(endpoint).then(
  () => true,
  () => false,
)
if (!isReachable)
  process.stdout.write('test/engines/localstack.test.ts is skipped: LocalStack is not at AWS_ENDPOINT_URL.\n')

const stage = 'engines'
const maxMs = 600_000

describe.skipIf(!isReachable)('LocalStack', { timeout: maxMs }, () => {
  let deployment: Deployment
  let printed = ''
  const callersOwn = { AWS_PROFILE: 'no-such', AWS_ENDPOINT_URL_S3: 'https://s3.example' }
  const run = (name: string, ...parameters: string[]) => {
    const env = name === 'deploy-localstack' ? callersOwn : {}
    return runCommand(name, ['--stage', stage, ...parameters], { AWS_ENDPOINT_URL: endpoint, ...env })
  }

  beforeAll(async () => {
    const { code, stdout, stderr, otherHosts } = await run('deploy-localstack')
    expect({ code, otherHosts }, stdout + stderr).toEqual({ code: 0, otherHosts: [] })
    printed = stdout
    const [, listUrl = ''] = /^curl .* (http\S+)$/m.exec(stdout) ?? []
    const { tokenFor } = await openIssuer(localFolder)
    deployment = { listUrl, deleteUrl: `${listUrl}/providers/`, tokenFor }
  }, maxMs)

  test('receives a deployment that passes the smoke test', () => {
    expect(printed).toMatch(/ is healthy\.\n$/)
    expect(printed).not.toContain('FAIL')
  })

  mainJob(() => deployment, null)

  test('applies a changed parameter', async () => {
    const { code, stdout } = await run('deploy-localstack', '--param', 'readScope=other:read')
    expect(stdout).toContain('FAIL list                 answered 403 scope_missing')
    expect(code).toBe(1)
  })

  test('goes back to the release that ran before by rollback, also after a rollback and a deployment', async () => {
    const listStatus = async () => {
      const headers = { authorization: `Bearer ${await deployment.tokenFor()}` }
      return (await fetch(deployment.listUrl, { headers })).status
    }
    expect(await run('rollback')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is rolled back from the release of '),
    })
    expect(await listStatus()).toBe(200)
    expect(await run('rollback')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is rolled back already'),
    })
    await run('deploy-localstack', '--param', 'readScope=third:read')
    expect(await listStatus()).toBe(403)
    expect(await run('rollback')).toMatchObject({ code: 0 })
    expect(await listStatus()).toBe(200)
  })

  test('removes the deployment by undeploy', async () => {
    const { code, stdout } = await run('undeploy', '--yes')
    expect(stdout).toContain(`Stage ${stage} is removed.`)
    expect(code).toBe(0)
    expect((await fetch(deployment.listUrl)).status).toBe(404)
  })

  test('names by another undeploy what stays, and nothing else', async () => {
    const { code, stdout } = await run('undeploy', '--yes')
    expect(stdout).toContain(`Its table saml-providers-${stage} stays with its data.`)
    expect(stdout).not.toContain('The packages')
    expect(code).toBe(0)
  })
})

describe.skipIf(!isReachable)("LocalStack, with the example of a company's stage", { timeout: maxMs }, () => {
  const name = randomBytes(4).toString('hex')
  const company = `company-${name}`
  const bucket = `packages-${name}`
  const stageFile = join(tmpdir(), `${company}.yml`)
  let recorder: Awaited<ReturnType<typeof record>>
  const run = (command: string, ...options: string[]) =>
    runCommand(command, ['--stage', company, '--stage-file', stageFile, ...options], {
      AWS_ENDPOINT_URL: recorder.url,
    })

  const s3 = new S3Client({ ...localAws, region: 'eu-central-1', endpoint, forcePathStyle: true })
  /** Calls LocalStack without a client of the SDK. */
  const ask = async (service: string, form: Record<string, string>) => {
    const scope = `x/20261122/eu-central-1/${service}/aws4_request`
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`
    const body = new URLSearchParams(form)
    return (await fetch(endpoint, { method: 'POST', headers: { authorization }, body })).text()
  }

  beforeAll(async () => {
    const example = readFileSync(join(projectRoot, 'infra/stages/example-company.yml'), 'utf8')
    const { provider, params, ...rest } = parse(example.replaceAll('123456789012', '000000000000'))
    const { vpc: _, ...others } = provider // LocalStack has no such subnets
    const own = { ...others, deploymentBucket: { name: bucket } }
    const buffered = { ...params, responseTransferMode: 'BUFFERED' }
    writeFileSync(stageFile, JSON.stringify({ ...rest, provider: own, params: buffered }))
    const Statement = { Effect: 'Allow', Action: '*', Resource: '*' }
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement })
    await ask('iam', { Action: 'CreatePolicy', PolicyName: 'boundary', PolicyDocument })
    const CreateBucketConfiguration = { LocationConstraint: 'eu-central-1' } as const
    await s3.send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration }))
    recorder = await record(endpoint)
  }, maxMs)
  afterAll(() => {
    recorder?.close()
    rmSync(stageFile)
  })

  test('makes its roles below their path, with their boundary, and gives the stack its tags', async () => {
    const { code, stdout, stderr } = await run('deploy')
    expect(code, stdout + stderr).toBe(0)
    const roles = await ask('iam', { Action: 'ListRoles', PathPrefix: '/example-company/' })
    const [, role = ''] = /<RoleName>([^<]*)/.exec(roles) ?? []
    expect(await ask('iam', { Action: 'GetRole', RoleName: role })).toContain(
      ':policy/boundary</PermissionsBoundaryArn>',
    )
    const StackName = `deprecated-saml-endpoints-${company}`
    const stack = await ask('cloudformation', { Action: 'DescribeStacks', StackName })
    expect(stack).toMatch(/<Key>cost-centre<\/Key>\s*<Value>4711</)
  })

  test('previews, changes, rolls back and removes, and keeps the packages in its bucket', async () => {
    const parameter = ['--param', 'realm=changed']
    expect(await run('deploy', '--preview', ...parameter)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^change +ListSamlProvidersLambdaFunction /m),
    })
    expect(await run('deploy', ...parameter)).toMatchObject({ code: 0 })
    expect(await run('rollback')).toMatchObject({ code: 0 })
    expect(await run('undeploy', '--yes', '--delete-logs')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`The packages in s3://${bucket}/serverless/`),
    })
    expect((await s3.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount).toBeGreaterThan(0)
    // LocalStack does not import the table, so this fails in the end.
    expect((await run('deploy', '--adopt-table')).stdout).toContain('The table got deletion protection.')
  })

  test("makes no call that the deployer's policy does not allow", () => {
    const policy = deployerPolicy('eu-central-1', '000000000000', company).map(statement =>
      statement.Sid === 'Packages' ? { ...statement, Resource: `arn:aws:s3:::${bucket}*` } : statement,
    )
    const calls = recorder.calls.filter(({ action }) => action !== 'sts:GetCallerIdentity') // needs no right
    expect(new Set(calls.map(({ action }) => action)).size).toBeGreaterThan(25)
    expect(calls.filter(call => !allows(policy, call))).toEqual([])
  })
})
