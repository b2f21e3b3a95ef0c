import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../../infra/local/listen.ts'
import { holdsProviders } from '../../../infra/sample-data/items.ts'
import { createTable, dropTable } from '../../../infra/dynamodb/table.ts'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { environmentFor, reachableUrl, readEndpoint } from '../../../infra/localstack/environment.ts'
import { type FakeAws, startFakeAws } from '../serverless/fake-aws.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'localstack-'))
const strangers = join(folder, 'strangers')
const tableName = `localstack-test-${randomUUID()}`
const client = connectTo(inject('dynamodbEndpoint'))
const issuers =
  '[{"issuer":"https://login.example.com","audience":"a","jwksUri":"https://login.example.com/keys"}]'

/** Writes down whoever is called that is not this machine, and does not let the call out. */
const guard = `
import net from 'node:net'
import { appendFileSync } from 'node:fs'
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...given) {
  const [{ host = 'localhost', path } = {}] = [given[0]].flat()
  if (path || ['localhost', '127.0.0.1', '::1'].includes(host)) return connect.apply(this, given)
  appendFileSync(${JSON.stringify(strangers)}, host + '\\n')
  throw new Error(host + ' is a stranger')
}`

const node = (parameters: string[], env: Record<string, string>) =>
  run(process.execPath, parameters, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(guard)}`,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_ACCESS_KEY_ID: 'callers-own',
      AWS_SECRET_ACCESS_KEY: 'secret',
      SLS_AWS_MONITORING_FREQUENCY: '20',
      SLS_AWS_REQUEST_MAX_RETRIES: '0',
      ...env,
    },
  })

beforeAll(() => createTable(client, tableName))
afterAll(async () => {
  await dropTable(client, tableName)
  client.destroy()
  rmSync(folder, { recursive: true })
})

/** Both deploy the service to an AWS of their own. */
describe.each([
  {
    name: 'deploy',
    parameters: ['infra/commands/deploy.ts', '--param', `issuers=${issuers}`],
    accessKey: 'callers-own',
    env: {},
  },
  {
    name: 'deploy:localstack',
    parameters: ['infra/commands/deploy-localstack.ts'],
    accessKey: 'local',
    env: {
      AWS_PROFILE: 'no-such',
      HTTP_PROXY: 'http://proxy.example',
      AWS_ENDPOINT_URL_S3: 'https://s3.example',
    },
  },
])('the command $name', ({ name, parameters, accessKey, env }) => {
  let aws: FakeAws
  let said = ''
  beforeAll(async () => {
    writeFileSync(strangers, '')
    aws = await startFakeAws(inject('dynamodbEndpoint'), tableName)
    const { stdout, stderr } = await node(parameters, { AWS_ENDPOINT_URL: aws.url, ...env })
    said = stdout + stderr
  }, 120_000)
  afterAll(() => aws.stop())

  test('deploys to the AWS of AWS_ENDPOINT_URL, and calls nobody else', () => {
    expect(said).toContain('Service deployed')
    expect(readFileSync(strangers, 'utf8')).toBe('')
    expect([...new Set(aws.calls.map(({ host }) => host))]).toEqual([new URL(aws.url).host])
    expect(aws.calls.map(({ service }) => service)).toEqual(
      expect.arrayContaining(['cloudformation', 's3', 'sts', 'apigateway']),
    )
  })

  test('names the bucket in the path, as no name leads to a bucket there', () => {
    const uploads = aws.calls.filter(({ action }) => action.startsWith('PUT /deployment-bucket/'))
    expect(uploads.map(({ action }) => /([\w.-]+)\?/.exec(action)?.[1]).sort()).toEqual([
      'compiled-cloudformation-template.json',
      'deprecated-saml-endpoints.zip',
      'serverless-state.json',
    ])
  })

  test(`signs as ${accessKey}`, () => {
    const keys = aws.calls.filter(({ service }) => service !== '').map(call => call.accessKey)
    expect([...new Set(keys)]).toEqual([accessKey])
  })

  test('deploys functions that know no endpoint but what their surroundings tell them', () => {
    const template = aws.calls.find(({ action }) => action.includes('compiled-cloudformation-template'))
    expect(template?.body).toContain('TABLE_NAME')
    expect(template?.body).not.toContain('AWS_ENDPOINT_URL')
  })

  describe.runIf(name === 'deploy:localstack')('and then', () => {
    test('has deployed trust in the local issuer', () => {
      const template = aws.calls.find(({ action }) => action.includes('compiled-cloudformation-template'))
      expect(template?.body).toContain('https://issuer.local.example')
      expect(template?.body).toMatch(/\\"kty\\":\\"RSA\\"/)
    })

    test("has filled the stack's table with the sample data", async () => {
      expect(await holdsProviders(client, tableName)).toBe(true)
    })

    test('prints two curl lines with the URLs that lead to LocalStack', () => {
      const url = `${aws.url}/_aws/execute-api/abc123/dev/api/v2/saml`
      expect(said.split('\n').filter(line => line.startsWith('curl '))).toEqual([
        `curl -H "Authorization: Bearer $TOKEN" ${url}`,
        `curl -H "Authorization: Bearer $TOKEN" -X DELETE ${url}/providers/1`,
      ])
    })
  })
})

describe('a deployment is refused in one sentence', () => {
  test('when nothing answers at the endpoint', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    await expect(
      node(['infra/commands/deploy-localstack.ts'], { AWS_ENDPOINT_URL: url }),
    ).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Nothing answers at ${url}: start LocalStack, or name another endpoint with AWS_ENDPOINT_URL.\n`,
    })
  })

  test.each([
    [['infra/commands/deploy-localstack.ts'], { AWS_ENDPOINT_URL: 'localhost:4566' }, 'AWS_ENDPOINT_URL'],
    [['infra/commands/deploy-localstack.ts', '--region', 'x'], {}, '--region'],
    [['infra/commands/deploy.ts'], { AWS_ENDPOINT_URL: 'localhost:4566' }, 'AWS_ENDPOINT_URL'],
    [['infra/commands/deploy.ts'], { AWS_ENDPOINT_URL_S3: 'minio' }, 'AWS_ENDPOINT_URL_S3'],
  ])('%j %j', async (parameters, env, fault) => {
    await expect(node(parameters, env as Record<string, string>)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^[^\n]*${fault}[^\n]*\n$`)),
    })
  })
})

describe('what a deployment to LocalStack is told', () => {
  test('is where LocalStack usually listens, unless another place is given', () => {
    expect(readEndpoint(undefined)).toBe('http://localhost:4566')
    expect(readEndpoint('')).toBe('http://localhost:4566')
    expect(readEndpoint('http://localstack:4566/')).toBe('http://localstack:4566')
  })

  test("keeps what is not AWS's and none of the caller's accounts", () => {
    const own = {
      HOME: '/h',
      AWS_SESSION_TOKEN: 't',
      AWS_ENDPOINT_URL_STS: 'https://s',
      aws_profile: 'p',
      https_proxy: 'p',
    }
    const told = environmentFor('http://localhost:4566', own)
    expect(told).toMatchObject({ HOME: '/h', AWS_ENDPOINT_URL: 'http://localhost:4566' })
    for (const name of Object.keys(own).slice(1)) expect(told).not.toHaveProperty(name)
  })

  test.each([
    'https://abc.execute-api.eu-central-1.amazonaws.com/dev/api',
    'http://abc.execute-api.localhost.localstack.cloud:4566/dev/api',
  ])('turns %s into a URL that needs no name to be resolved', url => {
    expect(reachableUrl('http://localhost:4566', url)).toBe(
      'http://localhost:4566/_aws/execute-api/abc/dev/api',
    )
  })
})
