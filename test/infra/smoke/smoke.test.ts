import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { command } from '../../../infra/commands/smoke.ts'
import { type LocalService, startLocalService } from '../../../infra/local/service.ts'
import { captured, serverOf } from '../../support/machine.ts'

const someToken = 'aaa.bbb.ccc'
let service: LocalService
beforeAll(async () => {
  service = await startLocalService({ port: 0, log: () => {} })
})
afterAll(() => service.stop())

/** Runs the command. @returns its exit code and what it printed */
const run = (token: string, ...options: string[]) => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('TOKEN', token)
  return captured(() => command.parseAsync(options, { from: 'user' }))
}

test('the smoke test of a healthy deployment passes without a print of its token', async () => {
  const token = await service.tokenFor()
  const { code, stdout } = await run(token, '--url', `${service.url}/`)
  const lines = stdout.split('\n').filter(line => /^(ok|FAIL|http)/.test(line)) // the functions log here, too
  expect(lines).toEqual([
    expect.stringMatching(/^ok {3}list {17}200 with a list: \d+ providers$/),
    'ok   list without a token 401 credentials_missing',
    'ok   list, wrong token    401 token_rejected',
    'ok   remove without token 401 credentials_missing',
    'ok   unknown route        404 route_not_found',
    expect.stringMatching(/^http.* is healthy\.$/),
  ])
  expect(code ?? 0).toBe(0)
  expect(lines.join()).not.toContain(token.slice(-20))
})

test('the smoke test tells a retired deployment apart', async () => {
  const parameters = { retired: 'true' }
  const { url, tokenFor, stop } = await startLocalService({ port: 0, parameters, log: () => {} })
  onTestFinished(stop)
  const { code, stdout } = await run(await tokenFor(), '--url', url)
  expect(code ?? 0).toBe(0)
  expect(stdout).toMatch(/^ok {3}list {17}410 endpoint_retired$/m)
  expect(stdout).toMatch(/^http.* is retired\.$/m)
})

test('the smoke test of a deployment that answers 410 to everybody fails', async () => {
  const url = await serverOf((_, response) => response.writeHead(410).end('{"code":"endpoint_retired"}'))
  const { code, stdout } = await run(someToken, '--url', url)
  expect([code, stdout.match(/^FAIL/gm)]).toEqual([1, Array(4).fill('FAIL')])
  expect(stdout).toMatch(/ is not healthy\.$/m)
})

// The stage may be on another table.
test('the smoke test tells an empty list apart', async () => {
  const url = await serverOf((_, response) => response.end('{"data":{"saml_providers":[]}}'))
  const { stdout } = await run(someToken, '--url', url)
  expect(stdout).toMatch(/^ok {3}list {17}200 with a list: no provider\. Is it the right table\?$/m)
})

test.each([
  [200, 'nonsense', {}, '200 without a code'],
  [200, '{"data":{}}', {}, '200 without a code'],
  [302, 'moved', { location: 'http://127.0.0.1:1' }, '302 without a code'],
  [503, '{"code":"table_busy"}', {}, '503 table_busy'],
  [401, '{"code":"credentials_missing"}', {}, '401 credentials_missing'],
])('the smoke test of a deployment that answers %i %s fails', async (status, body, headers, seen) => {
  const asked: string[] = []
  const url = await serverOf(({ method, headers: { authorization } }, response) => {
    asked.push(`${method} ${authorization === undefined ? 'without' : 'with'}`)
    response.writeHead(status, headers).end(body)
  })
  const { code, stdout } = await run(someToken, '--url', url)
  expect([code, stdout]).toEqual([1, expect.stringContaining(`FAIL list                 ${seen}, and not`)])
  expect(asked).toEqual(['GET with', 'GET without', 'GET with', 'DELETE without', 'GET without'])
})

test('the smoke test of a deployment that cannot be reached fails', async () => {
  const { code, stdout } = await run(someToken, '--url', 'http://127.0.0.1:1')
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAIL list +no answer \(.+\), and not 200/)])
})

test.each([
  [['--url', 'x'], someToken, "argument 'x' is invalid. It must be a URL"],
  [['--url', 'http://a'], 'Bearer secret', 'Set the environment variable TOKEN'],
])(
  'the smoke test refuses %j with the token "%s" without a print of it',
  async (options, token, sentence) => {
    const { stdout, stderr } = await run(token, ...options)
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(sentence)])
    expect(stderr).not.toContain('secret')
  },
)
