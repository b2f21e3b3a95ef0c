import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { freePort, listen } from '../../../infra/local/listen.ts'
import { localFolder } from '../../../infra/local/local-folder.ts'
import { routes } from '../../../infra/serverless/service-definition.ts'
import { addressForContainers } from '../../../infra/sam/relay.ts'
import { writeSam } from '../../../infra/sam/write.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'sam-'))
const issuers = JSON.stringify([
  { issuer: 'https://i.example', audience: 'a', jwksUri: 'https://i.example/keys' },
])
const tableName = 'saml-providers-sam-test'

// biome-ignore lint/suspicious/noExplicitAny: a template has no type, and what is missing fails the test
type Properties = Record<string, any>
let resources: Record<string, { Type: string; Properties: Properties }> = {}
const ofType = (type: string) =>
  Object.values(resources)
    .filter(resource => resource.Type === type)
    .map(resource => resource.Properties)
const functions = () => ofType('AWS::Serverless::Function')

beforeAll(() => {
  const path = writeSam({ folder, issuers, tableName, tablePort: 8123 })
  resources = parse(readFileSync(path, 'utf8'), { version: '1.1' }).Resources // the YAML that SAM CLI reads
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the template for SAM', () => {
  test('holds two functions and one API, all of which SAM CLI runs', () => {
    expect(
      Object.values(resources)
        .map(({ Type }) => Type)
        .sort(),
    ).toEqual(['AWS::Serverless::Api', 'AWS::Serverless::Function', 'AWS::Serverless::Function'])
    for (const { Runtime, Timeout, MemorySize } of functions())
      expect({ Runtime, Timeout, MemorySize }).toEqual({
        Runtime: 'nodejs24.x',
        Timeout: 29,
        MemorySize: 1024,
      })
  })

  test('has the routes of the deployment, each to its own function', () => {
    const routed = functions().flatMap(({ Events, Handler }) =>
      Object.values<Properties>(Events).map(({ Type, Properties }) => ({ Handler, Type, ...Properties })),
    )
    expect(routed.map(({ Method, Path }) => Method + Path)).toEqual(routes.map(r => `${r.method}/${r.path}`))
    for (const { Handler, Method, Type, RestApiId } of routed) {
      expect(Handler).toMatch(Method === 'get' ? /^list-/ : /^delete-/)
      expect(Type).toBe('Api')
      expect(resources[RestApiId.Ref]?.Type).toBe('AWS::Serverless::Api')
    }
  })

  test('hands base64 bodies out as bytes', () => {
    expect(ofType('AWS::Serverless::Api')).toMatchObject([{ BinaryMediaTypes: ['*/*'] }])
  })

  test('gives each function the environment of the deployment, as texts, and the DynamoDB of this machine', () => {
    for (const { Environment } of functions()) {
      for (const value of Object.values(Environment.Variables)) expect(value).toBeTypeOf('string')
      expect(Environment.Variables).toMatchObject({
        TABLE_NAME: tableName,
        ISSUERS: issuers,
        MAX_WAIT_SECONDS: '28',
        DEPRECATED_AT: '2025-01-01T00:00:00Z',
        AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:8123',
      })
    }
  })

  test('names code that is there, without source maps', () => {
    for (const { CodeUri, Handler } of functions())
      expect(existsSync(join(folder, CodeUri, Handler.replace(/\.handler$/, '.mjs')))).toBe(true)
    const files = readdirSync(join(folder, 'code'), { recursive: true }).map(String)
    expect(files).toContain('.build/functions/list-saml-providers.mjs')
    expect(files.filter(name => name.endsWith('.map'))).toEqual([])
  })
})

describe('containers', () => {
  test("reach this machine at Docker's bridge where there is one, and else at the loopback interface", () => {
    const docker0 = [
      { family: 'IPv6', address: 'fe80::1' },
      { family: 'IPv4', address: '172.17.0.1' },
    ] // prettier-ignore
    expect(addressForContainers({ docker0 } as unknown as ReturnType<typeof Object>)).toBe('172.17.0.1')
    expect(addressForContainers({})).toBe('127.0.0.1')
  })
})

describe('the sam command', () => {
  const programs = mkdtempSync(join(tmpdir(), 'sam-programs-'))
  const place = join(programs, 'out')
  afterAll(() => rmSync(programs, { recursive: true }))
  const sam = (options: string[], env: Record<string, string> = {}) =>
    run(process.execPath, ['infra/commands/sam.ts', '--folder', place, ...options], {
      cwd: root,
      env: { ...process.env, PATH: programs, ...env },
    })

  test('writes the template and no more with --template-only', async () => {
    const { stdout, stderr } = await sam(['--template-only'])
    expect({ stdout, stderr }).toEqual({ stdout: `wrote ${join(place, 'template.yml')}\n`, stderr: '' })
    expect(existsSync(join(place, 'template.yml'))).toBe(true)
  })

  test('says in one sentence how to go on where SAM CLI is missing', async () => {
    await expect(sam([])).rejects.toMatchObject({
      code: 1,
      stdout: `wrote ${join(place, 'template.yml')}\n`,
      stderr: expect.stringMatching(/^[^\n]*install AWS SAM CLI[^\n]*--template-only[^\n]*\n$/),
    })
  })

  test.each([
    [['--port', '0'], '--port'],
    [['--table-port', '65536'], '--table-port'],
    [['--nonsense'], '--nonsense'],
  ])('refuses %j in one sentence that names it', async (options, name) => {
    await expect(sam(options)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^[^\n]*${name}[^\n]*\n$`)),
    })
  })

  describe('with SAM CLI', () => {
    beforeAll(() => {
      const program = join(programs, 'sam')
      writeFileSync(program, `#!${process.execPath}\n${fakeSam}`)
      chmodSync(program, 0o755)
    })

    test('runs it on the template with the sample data in reach, whatever time SAM CLI stamps on a request', async () => {
      const token = await (await openIssuer(localFolder)).tokenFor()
      const port = await freePort()
      const { stdout } = await sam(['--port', '3456', '--table-port', `${port}`], {
        TOKEN: token,
        TEMPLATE: join(place, 'template.yml'),
        YAML: import.meta.resolve('yaml'),
        TABLE_HOST: addressForContainers(),
      })
      const { given, answer } = JSON.parse(stdout.split('\n').at(-1) ?? '')
      expect(given.join(' ')).toMatch(
        /^local start-api --template \S+\/template\.yml --port 3456 --warm-containers EAGER/,
      )
      expect(given.includes('host.docker.internal:host-gateway')).toBe(process.platform === 'linux')
      expect(answer.statusCode, stdout).toBe(200) // what was logged says why not
      expect(JSON.parse(answer.body).data.saml_providers).toHaveLength(4)
      expect(answer.headers['X-Request-Id']).not.toBe('frozen')
      expect(stdout).toMatch(
        /^curl -H "Authorization: Bearer \$TOKEN" http:\/\/127\.0\.0\.1:3456\/api\/v2\/saml$/m,
      )
    })

    test('refuses a taken port for the table in one sentence', async () => {
      const other = createServer()
      const port = await listen(other, 0)
      // On a machine with Docker's bridge the same number is free there.
      if (addressForContainers() === '127.0.0.1')
        await expect(sam(['--table-port', `${port}`])).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringMatching(new RegExp(`^Port ${port} [^\n]*--table-port[^\n]*\n$`)),
        })
      other.close()
    })
  })
})

/** Loads a function as SAM CLI does and calls it with the event of a server that runs for years, in seconds. */
const fakeSam = `
if (process.argv[2] === '--version') process.exit(0)
const { readFileSync } = require('node:fs')
const { TEMPLATE, TOKEN, YAML, TABLE_HOST } = process.env
import(YAML).then(async ({ parse }) => {
  const { Properties } = parse(readFileSync(TEMPLATE, 'utf8')).Resources.ListSamlProvidersLambdaFunction
  Object.assign(process.env, Properties.Environment.Variables, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' })
  process.env.AWS_ENDPOINT_URL_DYNAMODB = process.env.AWS_ENDPOINT_URL_DYNAMODB.replace('host.docker.internal', TABLE_HOST)
  const { handler } = await import(require('node:path').join(TEMPLATE, '..', 'code', 'list-saml-providers.mjs'))
  const answer = await handler({
    httpMethod: 'GET', path: '/api/v2/saml', resource: '/api/v2/saml', headers: {}, pathParameters: null,
    multiValueHeaders: { Authorization: ['Bearer ' + TOKEN] },
    requestContext: { requestId: 'frozen', requestTimeEpoch: 1700000000 },
  }, { awsRequestId: 'x' })
  process.stdout.write(JSON.stringify({ given: process.argv.slice(2), answer }), () => process.exit(0))
})
`
