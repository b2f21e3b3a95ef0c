import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { dropTable } from '../../../infra/resources/table.ts'
import { shapesOf } from './fake-aws/aws-call.ts'
import { type FakeAws, startFakeAws } from './fake-aws/fake-aws.ts'
import { issuers } from './packaged.ts'
import { type Recorded, recordedOf } from './recorded/recorded.ts'
import { runCommand } from './run-command.ts'
import { freePort } from '../../support/free-port.ts'

type Finished = Awaited<ReturnType<typeof runCommand>>

/** In practice no limit: the framework's duration depends on the machine. */
const maxMs = 600_000
const tableName = `deploy-test-${randomUUID()}`
const client = connectTo(inject('dynamodbEndpoint'))
const parameters = (...more: string[]) =>
  [`issuers=${issuers}`, `tableName=${tableName}`, ...more].flatMap(parameter => ['--param', parameter])
const cleanUps: (() => void)[] = []
const atEnd = (cleanUp: () => void) => void cleanUps.push(cleanUp)

afterAll(async () => {
  for (const cleanUp of cleanUps) cleanUp()
  await dropTable(client, tableName)
  client.destroy()
})

describe('a stage that is deployed, changed and removed', { timeout: maxMs }, () => {
  let aws: FakeAws
  let first: Finished
  let second: Finished
  let lostByDeployments: string[]
  const calls: Recorded = { deploy: [], update: [], undeploy: [] }
  let removal: Finished
  let again: Finished

  beforeAll(async () => {
    aws = await startFakeAws(inject('dynamodbEndpoint'))
    const env = { AWS_ENDPOINT_URL: aws.url }
    const shapes = (from: number) => shapesOf(aws.calls.slice(from), 'dev')
    first = await runCommand('deploy', parameters('gatewayAccessLogs=true'), env, atEnd)
    calls.deploy = shapes(0)
    let from = aws.calls.length
    second = await runCommand('deploy', parameters('gatewayAccessLogs=true', 'throttleRate=40'), env, atEnd)
    calls.update = shapes(from)
    lostByDeployments = aws.lost()
    from = aws.calls.length
    removal = await runCommand('undeploy', ['--stage', 'dev'], env, atEnd)
    calls.undeploy = shapes(from)
    again = await runCommand('undeploy', ['--stage', 'dev'], env, atEnd)
  }, maxMs)
  afterAll(() => aws.stop())

  test('calls only the AWS of AWS_ENDPOINT_URL, and only actions that the fake implements', () => {
    for (const { code, stderr, otherHosts } of [first, second, removal])
      expect({ code, otherHosts }, stderr).toEqual({ code: 0, otherHosts: [] })
    expect([...new Set(aws.calls.map(({ host }) => host))]).toEqual([new URL(aws.url).host])
    expect(aws.unknown).toEqual([])
  })

  test.each(['deploy', 'update', 'undeploy'] as const)(
    'makes only calls in its %s that were recorded with real tools',
    step => {
      const real = [...recordedOf('localstack')[step], ...recordedOf('moto')[step]]
      expect(calls[step].filter(call => !real.includes(call))).toEqual([])
      expect(calls[step].length).toBeGreaterThan(5)
    },
  )

  test("signs with the caller's key", () => {
    expect([...new Set(aws.calls.map(call => call.accessKey))]).toEqual(['callers-own'])
  })

  test("names the bucket in the path, as an emulator's host name has no subdomains", () => {
    const uploads = aws.calls.filter(({ action }) =>
      action.startsWith('PUT /fake-serverlessdeploymentbucket-1/'),
    )
    expect([...new Set(uploads.map(({ action }) => /([\w.-]+)\?/.exec(action)?.[1]))].sort()).toEqual([
      'compiled-cloudformation-template.json',
      'deprecated-saml-endpoints.zip',
      'serverless-state.json',
    ])
  })

  test('keeps all resources of its template, the access log included', () => {
    const deleted = aws.calls.filter(({ action }) => action === 'DeleteLogGroup')
    expect(deleted).toHaveLength(2)
    expect(lostByDeployments).toEqual([])
  })

  test('prints its outputs and the next step', () => {
    const url = 'https://abc123.execute-api.eu-central-1.amazonaws.com/dev/api/v2/saml'
    for (const { stdout } of [first, second]) {
      expect(stdout).toContain(
        `ListUrl       ${url}\nDeleteUrl     ${url}/providers/\nTableName     ${tableName}\n`,
      )
      expect(stdout).toMatch(
        /\nDashboardUrl {2}https:\/\/eu-central-1\.console\.aws\.amazon\.com\/cloudwatch\//,
      )
      expect(stdout).toMatch(
        new RegExp(`\nNext: .*\n\nnpm run --silent smoke -- --url ${url} --token TOKEN\n$`),
      )
    }
  })

  test('deploys functions without an AWS endpoint', () => {
    const template = aws.calls.find(({ action }) => action.includes('compiled-cloudformation-template'))
    expect(template?.body).toContain('TABLE_NAME')
    expect(template?.body).not.toContain('AWS_ENDPOINT_URL')
  })

  test('is removed with its logs and packages, and without its table', () => {
    expect(removal.stdout).toContain(`Stage dev is removed. Its table ${tableName} stays`)
    expect(removal.stdout).toContain(
      `aws dynamodb update-table --region eu-central-1 --table-name ${tableName} --no-deletion-protection-enabled\naws dynamodb delete-table --region eu-central-1 --table-name ${tableName}\n`,
    )
    expect([...aws.account.logGroups]).toEqual([])
  })

  test('cannot be removed again', () => {
    expect(again).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'Stage dev is not deployed in eu-central-1 (there is no stack deprecated-saml-endpoints-dev): check --stage, --region and the account.\n',
    })
  })

  test('cannot be deployed again while the table exists', async () => {
    const refused = await runCommand('deploy', parameters(), { AWS_ENDPOINT_URL: aws.url })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      new RegExp(`^The table ${tableName} exists and does not belong to stage dev: delete it, [^\n]+\n$`),
    )
  })
})

describe('a deployment and a removal are refused in one sentence', { timeout: maxMs }, () => {
  const unreachable = async () => ({ AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` })

  test.each([
    ['deploy', parameters()],
    ['undeploy', ['--stage', 'dev']],
  ])('%s, when nothing answers at the endpoint', async (name, given) => {
    const env = await unreachable()
    const { code, stderr } = await runCommand(name, given, env)
    expect(stderr).toBe(
      `Nothing answers at ${env.AWS_ENDPOINT_URL} (ECONNREFUSED): start the emulator, or correct AWS_ENDPOINT_URL.\n`,
    )
    expect(code).toBe(1)
  })

  test.each([
    ['undeploy', [], {}, '--stage <NAME>'],
    ['undeploy', ['--stage', 'dev', '--param', 'x=y'], {}, "unknown option '--param'"],
    [
      'undeploy',
      ['--stage', 'dev'],
      { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
      'No AWS credentials were found',
    ],
    [
      'undeploy',
      ['--stage', 'dev', '--aws-profile', 'nobody'],
      { AWS_ACCESS_KEY_ID: '' },
      'The AWS profile nobody has no valid credentials',
    ],
    ['package', ['-s', 'Prod'], {}, "argument 'Prod' is invalid"],
    ['undeploy', ['--stage', 'a b'], {}, "argument 'a b' is invalid"],
    ['undeploy', ['--stage', 'dev'], { AWS_SESSION_TOKEN: 'a\nb' }, 'Invalid character [^\n]*security-token'],
    ['deploy', [], { AWS_ENDPOINT_URL: 'localhost:4566' }, 'AWS_ENDPOINT_URL'],
    ['deploy', [], { AWS_ENDPOINT_URL_S3: 'minio' }, 'AWS_ENDPOINT_URL_S3'],
    ['undeploy', ['--stage', 'dev'], { AWS_ENDPOINT_URL: 'localhost:4566' }, 'AWS_ENDPOINT_URL'],
  ])('%s %j %j', async (name, given, env, fault) => {
    const { code, stdout, stderr, otherHosts } = await runCommand(name, given, env as Record<string, string>)
    expect(stderr).toMatch(new RegExp(`^[^\n]*${fault}[^\n]*\n(Run it with --help[^\n]*\n)?$`))
    expect({ code, stdout, otherHosts }).toEqual({ code: 1, stdout: '', otherHosts: [] })
  })
})
