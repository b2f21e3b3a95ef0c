import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { command } from '../../../infra/commands/smoke.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { type LocalStack, startLocalStack } from '../../../infra/local/stack.ts'
import { refusalOf } from '../commands/refusal-of.ts'
import { serverOf } from '../../support/server-of.ts'
import { someToken } from './run-smoke.ts'

let stack: LocalStack
beforeAll(async () => {
  vi.stubEnv('TOKEN', undefined)
  stack = await startLocalStack({ port: 0, log: () => {} })
})
afterAll(() => stack.stop())

async function runOn({ dynamodb }: { dynamodb: Record<string, string> }, ...options: string[]) {
  const outputs = { ListUrl: `${stack.url}/api/v2/saml`, TableName: stack.table.name }
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const cloudFormation = await serverOf((_, response) =>
    response.end(
      `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    ),
  )
  const { DYNAMODB_ENDPOINT: _, ...inherited } = process.env
  const keys = { AWS_ACCESS_KEY_ID: 'some', AWS_SECRET_ACCESS_KEY: 'some', AWS_REGION: 'us-west-2' }
  const own = { AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation, TOKEN: await stack.tokenFor() }
  const command = spawn(process.execPath, ['infra/commands/smoke.ts', ...options, '--remove'], {
    cwd: projectRoot,
    env: { ...inherited, ...keys, ...own, ...dynamodb },
  })
  const [output, [code]] = await Promise.all([text(command.stdout), once(command, 'exit')])
  return { code, output }
}

test('the smoke test of a URL or a stage has the exit code 0 when the deployment is healthy, else 1', async () => {
  const run = (...options: string[]) =>
    runOn({ dynamodb: { DYNAMODB_ENDPOINT: stack.table.endpoint } }, ...options)
  const healthy = {
    code: 0,
    output: expect.stringMatching(/^ok +removal +200, two users unlinked/m),
  }
  const table = ['--table', stack.table.name]
  expect(await run('--url', stack.url, ...table)).toEqual(healthy)
  expect(await run('--stage', 'dev')).toEqual(healthy)
  expect(await run('--url', `${stack.url}/prod`, ...table)).toEqual({
    code: 1,
    output: expect.stringMatching(/^FAIL list/),
  })
})

test("the smoke test of a stage uses the table in the stage's region", async () => {
  const regions = new Set<string | undefined>()
  const dynamodb = await serverOf((request, response) => {
    regions.add(/([^/]+)\/dynamodb\//.exec(request.headers.authorization ?? '')?.[1])
    response.writeHead(400).end('{"__type":"AccessDeniedException","message":"denied"}')
  })
  const environment = { dynamodb: { AWS_ENDPOINT_URL_DYNAMODB: dynamodb } }
  expect(await runOn(environment, '--stage', 'dev', '--region', 'eu-west-3')).toMatchObject({ code: 1 })
  expect([...regions]).toEqual(['eu-west-3'])
})

test.each([
  [[], "required option '--token <TOKEN>' not specified"],
  [['--token', someToken], 'Name the deployment with --stage NAME, or with --url URL.'],
  [['--stage', 'dev', '--url', 'http://a', '--token', someToken], 'cannot be used with option'],
  [['--url', 'x', '--token', someToken], "argument 'x' is invalid. It must be a URL"],
  [['--url', 'http://127.0.0.1:1', '--token', 'x'], 'The token must be an access token'],
  [
    ['--url', 'http://127.0.0.1:1', '--token', someToken, '--timeout', '0'],
    "argument '0' is invalid. It must be a whole number from 1 to 999",
  ],
  [['--url', 'http://127.0.0.1:1', '--token', someToken, '--remove'], '--remove needs --table'],
])('the smoke test refuses %j in its first line', async (options, sentence) => {
  const [line] = (await refusalOf(command, ...options)).split('\n', 1)
  expect(line).toContain(sentence)
})

test('the smoke test does not repeat a malformed token', async () => {
  const sentence = await refusalOf(command, '--url', 'http://127.0.0.1:1', '--token', 'Bearer secret')
  expect(sentence).not.toContain('secret')
})
