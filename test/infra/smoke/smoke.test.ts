import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { type LocalStack, startLocalStack } from '../../../infra/local/stack.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { commonHeaders } from '../../../lib/http/common-headers.ts'
import { serverOf, smoke, smokeWith, someToken } from './run-smoke.ts'

let stack: LocalStack
beforeAll(async () => {
  stack = await startLocalStack({ port: 0, log: () => {} })
})
afterAll(() => stack.stop())

describe('the smoke test', () => {
  test('passes on a healthy deployment, by either of its URLs', async () => {
    const token = await stack.tokenFor()
    for (const url of [stack.url, `${stack.url}/`, `${stack.url}/api/v2/saml`]) {
      const { code, lines, stdout } = await smoke('--url', url, '--token', token)
      expect(lines.map(line => line.slice(0, 25).trimEnd())).toEqual([
        'ok   list',
        'ok   headers',
        'ok   compressed',
        'ok   without a token',
        'ok   with a wrong token',
        'ok   unknown route',
        'ok   latency',
        expect.stringMatching(/^http/),
      ])
      expect(stdout).toMatch(/4 providers[\s\S]* br\n[\s\S]*median \d+ ms[\s\S]* is healthy\.\n$/)
      expect(stdout).not.toContain(token.slice(-20))
      expect(code).toBe(0)
    }
  })

  test.each([
    ['an expired token', async () => stack.tokenFor({ expiresInSeconds: -60 }), /401 token_rejected: .*log/],
    [
      'a token without the scope',
      async () => stack.tokenFor({ scope: 'other' }),
      /403 scope_missing: .*scope/,
    ],
    ['a text in the form of a token', async () => someToken, /401 token_rejected/],
  ])('fails with %s, and names the remedy', async (_, token, sentence) => {
    const { code, lines } = await smoke('--url', stack.url, '--token', await token())
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^FAIL list/)
    expect(lines[0]).toMatch(sentence)
    expect(code).toBe(1)
  })

  test('fails at a wrong path of the server', async () => {
    const { code, stdout } = await smoke('--url', `${stack.url}/prod`, '--token', await stack.tokenFor())
    expect(stdout).toMatch(/^FAIL list +answered 404 route_not_found: is this the URL/)
    expect(code).toBe(1)
  })
})

describe('the smoke test with --remove', () => {
  const scan = async (name: string) => {
    const { Items } = await client().send(new ScanCommand({ TableName: name, ConsistentRead: true }))
    return Items
  }
  const client = () => {
    const opened = connectTo(stack.table.endpoint)
    onTestFinished(() => opened.destroy())
    return opened
  }
  const removing = async (token: string, url = stack.url) => {
    const { endpoint, name } = stack.table
    const options = ['--url', url, '--token', token, '--remove', '--table', name]
    return smokeWith({ DYNAMODB_ENDPOINT: endpoint }, ...options)
  }

  test('removes its own provider by the endpoint, and deletes its items', async () => {
    const before = await scan(stack.table.name)
    const { code, lines } = await removing(await stack.tokenFor())
    expect(lines.at(-2)).toMatch(/^ok +removal +200, two users unlinked, the same answer again$/)
    expect(code).toBe(0)
    expect(await scan(stack.table.name)).toEqual(before)
  })

  test('deletes its items when the removal is refused', async () => {
    const before = await scan(stack.table.name)
    const { code, lines } = await removing(await stack.tokenFor({ scope: 'saml-providers:read' }))
    expect(lines.at(-2)).toMatch(/^FAIL removal +answered 403 scope_missing: the token lacks the scope/)
    expect(code).toBe(1)
    expect(await scan(stack.table.name)).toEqual(before)
  })

  test('fails when the endpoint has another table', async () => {
    const other = await startLocalStack({ port: 0, log: () => {} })
    onTestFinished(other.stop)
    const { lines } = await removing(await other.tokenFor(), other.url)
    expect(lines.at(-2)).toMatch(/^FAIL removal +answered 404 provider_not_found: is it the table of this/)
  })
})

describe('without a deployment at the URL the smoke test reports the fault', () => {
  test('when nothing listens', async () => {
    const { code, stdout } = await smoke('--url', 'http://127.0.0.1:1', '--token', someToken)
    expect(stdout).toMatch(/^FAIL list +http:\/\/127.0.0.1:1\/api\/v2\/saml cannot be reached \(/)
    expect(code).toBe(1)
  })

  test('when the server never answers', async () => {
    const url = await serverOf(() => {})
    const { code, stdout } = await smoke('--url', url, '--token', someToken, '--timeout', '1')
    expect(stdout).toContain('gave no answer within 1 s')
    expect(code).toBe(1)
  })

  test.each([
    [200, 'nonsense', 'the body is not {"data"'],
    [200, '{"data":{"saml_providers":7}}', 'the body is not {"data"'],
    [200, '{"data":{"saml_providers":[{"id":1}]}}', 'provider 1 has the fields id, and not id, created_at'],
    [302, 'moved', 'answered 302, and not as this service does'],
    [503, '{"code":"table_busy"}', 'answered 503 table_busy'],
  ])('when the answer is %i %s', async (status, body, sentence) => {
    const url = await serverOf((_, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1' }).end(body),
    )
    const { code, stdout } = await smoke('--url', url, '--token', someToken)
    expect(stdout).toContain(sentence)
    expect(code).toBe(1)
  })

  test('when every call is answered with the list, without the headers', async () => {
    const provider = Object.fromEntries(Object.keys(samlProviderShape).map(name => [name, null]))
    const body = JSON.stringify({ data: { saml_providers: [provider] } })
    const methods = new Set<string | undefined>()
    const url = await serverOf(({ method }, response) => {
      methods.add(method)
      response.writeHead(200, { ...commonHeaders, Vary: 'Origin', 'Content-Type': 'text/plain' }).end(body)
    })
    const { code, lines } = await smoke('--url', url, '--token', someToken)
    expect(lines.map(line => line.slice(0, 4))).toEqual([
      'ok  ',
      'FAIL',
      'ok  ',
      'FAIL',
      'FAIL',
      'FAIL',
      'ok  ',
      'http',
    ])
    expect(lines[1]).toContain(
      'Vary is Origin; Content-Type is text/plain; X-Request-Id is missing; Deprecation is missing; Link names no successor',
    )
    expect(lines[2]).toContain('not compressed: this deployment offers neither br nor gzip')
    expect(lines[3]).toContain('answered 200 without a code, and not 401 credentials_missing')
    expect(code).toBe(1)
    expect([...methods]).toEqual(['GET'])
  })
})

test.each([
  [[], "required option '--url <URL>' not specified"],
  [['--url', 'x', '--token', someToken], "argument 'x' is invalid. It must be a URL"],
  [['--url', 'http://127.0.0.1:1', '--token', 'x'], '--token must be an access token'],
  [
    ['--url', 'http://127.0.0.1:1', '--token', someToken, '--timeout', '0'],
    "argument '0' is invalid. It must be a whole number from 1 to 999",
  ],
  [
    ['--url', 'http://127.0.0.1:1', '--token', someToken, '--emulator', 'moto'],
    "argument 'moto' is invalid. Allowed choices are sam, localstack",
  ],
  [['--url', 'http://127.0.0.1:1', '--token', someToken, '--remove'], '--remove needs --table'],
  [['--url', 'http://127.0.0.1:1', '--token', someToken, '--uri', 'x'], "unknown option '--uri'"],
])('the smoke test refuses %j in its first line', async (options, sentence) => {
  const { code, stderr, stdout } = await smoke(...options)
  expect(stderr.split('\n', 1)[0]).toContain(sentence)
  expect(stderr).not.toMatch(/^ +at /m)
  expect([code, stdout]).toEqual([1, ''])
})

test('the smoke test does not repeat a malformed token', async () => {
  const { stderr } = await smoke('--url', 'http://127.0.0.1:1', '--token', 'Bearer secret')
  expect(stderr).not.toContain('secret')
})
