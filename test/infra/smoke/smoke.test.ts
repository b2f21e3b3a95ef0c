import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { command } from '../../../infra/commands/smoke.ts'
import { type LocalStack, startLocalStack } from '../../../infra/local/stack.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { endpointUrls } from '../../../infra/serverless/service-definition.ts'
import { smoke } from '../../../infra/smoke/smoke.ts'
import { commonHeaders } from '../../../lib/http/common-headers.ts'
import { captured, serverOf } from '../../support/machine.ts'

const someToken = 'aaa.bbb.ccc'
let stack: LocalStack
beforeAll(async () => {
  stack = await startLocalStack({ port: 0, log: () => {} })
})
afterAll(() => stack.stop())

async function smokeAt(url: string, token: string, more: Partial<Parameters<typeof smoke>[0]> = {}) {
  const lines: string[] = []
  const { listUrl } = endpointUrls(url)
  const log = (line: string) => lines.push(line)
  const isHealthy = await smoke({ listUrl, token, timeoutMs: 30_000, log, ...more })
  return { isHealthy, lines }
}

describe('npm run smoke', () => {
  const healthy = [
    expect.stringMatching(/^ok {3}list {17}200, 4 providers, br; Sunset: /),
    'ok   list without a token 401 credentials_missing',
    'ok   list, wrong token    401 token_rejected',
    'ok   remove without token 401 credentials_missing',
    'ok   unknown route        404 route_not_found',
    expect.stringMatching(/^http.* is healthy\.$/),
  ]

  test('passes on a healthy deployment', async () => {
    const env = { ...process.env, TOKEN: await stack.tokenFor() }
    const words = ['infra/commands/smoke.ts', '--url', endpointUrls(stack.url).listUrl]
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: projectRoot, env })
    expect(stdout.trim().split('\n')).toEqual(healthy)
    expect(stdout).not.toContain(env.TOKEN.slice(-20))
  })

  const run = (token: string, ...options: string[]) => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('TOKEN', token)
    return captured(() => command.parseAsync(options, { from: 'user' }))
  }

  test('fails at a wrong URL of the API with the exit code 1', async () => {
    const { code, stdout } = await run(someToken, '--url', `${stack.url}/prod/`)
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^FAIL list +Answered 404 route_not_found[^\n]*\nhttp\S+\/prod\/api\S+ is not healthy\.\n$/,
    )
  })

  test.each([
    [['--url', 'x'], someToken, "argument 'x' is invalid. It must be a URL"],
    [['--url', 'http://a'], 'Bearer secret', 'Set the environment variable TOKEN'],
  ])('refuses %j with the token "%s" in one sentence without it', async (options, token, sentence) => {
    const { stdout, stderr } = await run(token, ...options)
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(sentence)])
    expect(stderr).not.toContain('secret')
  })
})

describe('the smoke test reports', () => {
  test('that there is no answer', async () => {
    const { lines } = await smokeAt('http://127.0.0.1:1', someToken)
    expect(lines[0]).toMatch(/^FAIL list +http:\/\/127.0.0.1:1\/\S+ cannot be reached, .* \(\w+/)
    const silent = await smokeAt(await serverOf(() => {}), someToken, { timeoutMs: 50 })
    expect(silent.lines[0]).toContain('gave no answer within 0.05 s.')
  })

  test.each([
    [200, 'nonsense', {}, 'Answered 200, and not 200 with a list: is this the right URL?'],
    [
      200,
      '{"data":{"saml_providers":[{"id":1}]}}',
      {},
      'A provider has the fields id, and not id, created_at',
    ],
    [200, '{}', { 'Content-Encoding': 'gzip' }, 'or its answer cannot be read ('],
    [302, 'moved', { location: 'http://127.0.0.1:1' }, 'Answered 302, and not'],
    [503, '{"code":"table_busy","detail":"Busy."}', {}, '503 table_busy, and not 200 with a list: Busy.'],
  ])('an answer %i %s', async (status, body, headers, sentence) => {
    const url = await serverOf((_, response) => response.writeHead(status, headers).end(body))
    const { isHealthy, lines } = await smokeAt(url, someToken)
    expect([isHealthy, lines[0]]).toEqual([false, expect.stringContaining(sentence)])
  })

  test('each refusal that is not as documented', async () => {
    const body = '{"data":{"saml_providers":[]}}'
    const kit = { Deprecation: '@1', Link: '</a>; rel="successor-version"', 'X-Request-Id': '1' }
    const sent: string[] = []
    // It accepts every DELETE, and refuses lists without the headers of a refusal.
    const url = await serverOf(({ method, headers }, response) => {
      sent.push(`${method} ${headers.authorization === undefined ? 'without' : 'with'}`)
      if (headers.authorization === `Bearer ${someToken}` || method === 'DELETE')
        response.writeHead(200, { ...commonHeaders, ...kit, 'Content-Type': 'application/json' }).end(body)
      else response.writeHead(401).end('{"code":"credentials_missing","status":401}')
    })
    const { isHealthy, lines } = await smokeAt(url, someToken)
    expect(lines).toEqual([
      expect.stringMatching(/^ok {3}list /),
      expect.stringMatching(/^FAIL list without a token .*Content-Type is missing.*Deprecation is missing/),
      expect.stringContaining('Answered 401 credentials_missing, and not 401 token_rejected'),
      expect.stringMatching(/^FAIL remove without token Answered 200/),
      expect.stringMatching(/^FAIL unknown route /),
      expect.stringMatching(/ is not healthy\.$/),
    ])
    expect(isHealthy).toBe(false)
    expect(sent).toEqual(['GET with', 'GET without', 'GET with', 'DELETE without', 'GET without'])
    expect((await smokeAt(url, someToken, { isEmulated: true })).lines).toHaveLength(5)
  })
})
