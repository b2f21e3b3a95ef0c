import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../../infra/resources/table.ts'
import { dataOf } from '../../../infra/data/open-data.ts'
import { listen } from '../../../infra/listen.ts'
import { environmentFor, reachableUrl, readEndpoint } from '../../../infra/localstack/environment.ts'
import { reachLocalStack } from '../../../infra/localstack/reach.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { systemClock } from '../../../lib/time.ts'
import { type FakeAws, startFakeAws } from '../serverless/fake-aws/fake-aws.ts'
import { runCommand } from '../serverless/run-command.ts'
import { fakeGateway } from './fake-gateway.ts'
import { freePort } from '../../support/free-port.ts'

/** In practice no limit: the framework's duration depends on the machine. */
const maxMs = 600_000
const tableName = `localstack-test-${randomUUID()}`
const endpoint = inject('dynamodbEndpoint')
const client = connectTo(endpoint)
const given = ['--param', `tableName=${tableName}`]
afterAll(async () => {
  await dropTable(client, tableName)
  client.destroy()
})

describe('the command deploy:localstack', { timeout: maxMs }, () => {
  let localStack: FakeAws
  let finished: Awaited<ReturnType<typeof runCommand>>
  const cleanUps: (() => void)[] = []
  beforeAll(async () => {
    localStack = await startFakeAws(endpoint, fakeGateway(endpoint))
    await createTable(client, tableName) // an earlier deployment has left it
    const callersOwn = {
      AWS_PROFILE: 'no-such',
      HTTP_PROXY: 'http://proxy.example',
      AWS_ENDPOINT_URL_S3: 'https://s3.example',
    }
    const env = { AWS_ENDPOINT_URL: localStack.url, ...callersOwn }
    finished = await runCommand('deploy-localstack', given, env, cleanUp => cleanUps.push(cleanUp))
  }, maxMs)
  afterAll(() => {
    for (const cleanUp of cleanUps) cleanUp()
    localStack.stop()
  })

  test('deploys to LocalStack, and calls no other host', () => {
    const { code, stderr, otherHosts } = finished
    expect({ code, otherHosts }, stderr).toEqual({ code: 0, otherHosts: [] })
    expect(localStack.unknown).toEqual([])
  })

  test("signs with its own key, not with the caller's", () => {
    expect([...new Set(localStack.calls.map(({ accessKey }) => accessKey))]).toEqual(['local'])
  })

  test('deploys the local issuer, buffered answers and no content coding', () => {
    const uploaded = localStack.calls.find(({ action }) =>
      action.includes('compiled-cloudformation-template'),
    )
    expect(uploaded?.body).toContain('https://issuer.local.example')
    expect(uploaded?.body).toMatch(/\\"kty\\":\\"RSA\\"/)
    expect(uploaded?.body).toContain('"CONTENT_CODINGS":"identity"')
    expect(uploaded?.body).toContain('"RESPONSE_TRANSFER_MODE":"BUFFERED"')
    expect(uploaded?.body).not.toContain('STREAM')
  })

  test("imports the sample data into the stack's table", async () => {
    const { table } = dataOf(client, tableName, systemClock)
    expect(await allProviders(table, new AbortController().signal)).toHaveLength(4)
  })

  test("prints curl lines with LocalStack's URLs, and the command that removes the stage", () => {
    const url = `${localStack.url}/_aws/execute-api/abc123/dev/api/v2/saml`
    const lines = finished.stdout.split('\n').filter(line => line.startsWith('curl '))
    expect(lines).toEqual([
      `curl -H "Authorization: Bearer $TOKEN" ${url}`,
      `curl -H "Authorization: Bearer $TOKEN" -X DELETE ${url}/providers/1`,
    ])
    expect(finished.stdout).toContain(
      `AWS_ENDPOINT_URL=${localStack.url} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local npm run undeploy -- --stage dev --region eu-central-1\n`,
    )
  })

  test('ends with the smoke test and the gaps of LocalStack', () => {
    const checks = finished.stdout.slice(finished.stdout.indexOf('ok   list')).split('\n')
    expect(checks.map(line => line.slice(0, 25).trimEnd()).slice(0, 7)).toEqual([
      'ok   list',
      'ok   headers',
      'ok   compressed',
      'ok   without a token',
      'ok   with a wrong token',
      'gap  unknown route',
      'ok   latency',
    ])
    expect(finished.stdout).toMatch(/ is healthy, except for the gaps of LocalStack\.\n$/)
  })

  test('fails when the smoke test does', async () => {
    const more = ['--param', 'contentCodings=br gzip']
    const env = { AWS_ENDPOINT_URL: localStack.url }
    const { code, stdout } = await runCommand('deploy-localstack', [...given, ...more], env)
    expect(stdout).toMatch(/^FAIL compressed .* Content-Encoding, br, says/m)
    expect(stdout).toMatch(/ is not healthy\.\n$/)
    expect(code).toBe(1)
  })
})

describe('a deployment to LocalStack is refused in one sentence', { timeout: maxMs }, () => {
  test('when nothing answers at the endpoint', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    expect(await runCommand('deploy-localstack', [], { AWS_ENDPOINT_URL: url })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Nothing answers at ${url}: start LocalStack, or set AWS_ENDPOINT_URL to its URL.\n`,
    })
  })

  test.each([
    [[], { AWS_ENDPOINT_URL: 'localhost:4566' }, 'AWS_ENDPOINT_URL'],
    [['--region', 'x'], {}, '--region'],
  ])('%j %j', async (parameters, env, fault) => {
    const { code, stdout, stderr } = await runCommand(
      'deploy-localstack',
      parameters,
      env as Record<string, string>,
    )
    expect(stderr).toMatch(new RegExp(`^[^\n]*${fault}[^\n]*\n(Run it with --help[^\n]*\n)?$`))
    expect([code, stdout]).toEqual([1, ''])
  })

  test('when another server answers there', async () => {
    const server = createServer((_, response) => void response.end('<html></html>'))
    const url = `http://127.0.0.1:${await listen(server, 0)}`
    onTestFinished(() => void server.close())
    await expect(reachLocalStack(url)).rejects.toThrow(
      `The server at ${url} is not LocalStack: start LocalStack, or set AWS_ENDPOINT_URL to its URL.`,
    )
  })

  test('when the server does not answer', async () => {
    const server = createServer(() => {})
    const url = `http://127.0.0.1:${await listen(server, 0)}`
    onTestFinished(() => void server.close().closeAllConnections())
    await expect(reachLocalStack(url, 50)).rejects.toThrow(
      `${url} gave no answer within 0.05 s: restart LocalStack, or set AWS_ENDPOINT_URL to its URL.`,
    )
  })
})

describe('the environment of a deployment to LocalStack', () => {
  test("has LocalStack's default endpoint unless another one is set", () => {
    expect(readEndpoint(undefined)).toBe('http://localhost:4566')
    expect(readEndpoint('')).toBe('http://localhost:4566')
    expect(readEndpoint('http://localstack:4566/')).toBe('http://localstack:4566')
  })

  test("keeps the caller's variables except those of AWS and proxies", () => {
    const own = {
      HOME: '/h',
      AWS_SESSION_TOKEN: 't',
      AWS_ENDPOINT_URL_STS: 'https://s',
      aws_profile: 'p',
      https_proxy: 'p',
    }
    const variables = environmentFor('http://localhost:4566', own)
    expect(variables).toMatchObject({ HOME: '/h', AWS_ENDPOINT_URL: 'http://localhost:4566' })
    for (const name of Object.keys(own).slice(1)) expect(variables).not.toHaveProperty(name)
  })

  test.each([
    'https://abc.execute-api.eu-central-1.amazonaws.com/dev/api',
    'http://abc.execute-api.localhost.localstack.cloud:4566/dev/api',
  ])('changes %s to a URL whose host name needs no DNS', url => {
    expect(reachableUrl('http://localhost:4566', url)).toBe(
      'http://localhost:4566/_aws/execute-api/abc/dev/api',
    )
  })
})
