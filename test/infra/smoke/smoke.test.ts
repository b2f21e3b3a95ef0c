import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { baseUrl } from '../../../infra/commands/smoke.ts'
import { dataOf } from '../../../infra/data/open-data.ts'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { type LocalStack, startLocalStack } from '../../../infra/local/stack.ts'
import { freeProviderId } from '../../../infra/smoke/removal-check.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { commonHeaders } from '../../../lib/http/common-headers.ts'
import { systemClock } from '../../../lib/time.ts'
import { serverOf } from '../../support/server-of.ts'
import { smokeAt, someToken } from './run-smoke.ts'

let stack: LocalStack
beforeAll(async () => {
  stack = await startLocalStack({ port: 0, log: () => {} })
})
afterAll(() => stack.stop())

describe('the smoke test', () => {
  test('passes on a healthy deployment, and does not print the token', async () => {
    const token = await stack.tokenFor()
    const { isHealthy, lines } = await smokeAt(stack.url, token)
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
    const printed = lines.join('\n')
    expect(printed).toMatch(/4 providers[\s\S]* br\n[\s\S]*median \d+ ms[\s\S]* is healthy\.$/)
    expect(printed).not.toContain(token.slice(-20))
    expect(isHealthy).toBe(true)
  })

  test.each([
    'https://api.example/prod',
    'https://api.example/prod/',
    'https://api.example/prod/api/v2/saml',
  ])('takes the URL %s', url => expect(baseUrl(url)).toBe('https://api.example/prod'))

  test.each([
    ['an expired token', async () => stack.tokenFor({ expiresInSeconds: -60 }), /401 token_rejected: .*log/],
    [
      'a token without the scope',
      async () => stack.tokenFor({ scope: 'other' }),
      /403 scope_missing: .*scope/,
    ],
  ])('fails with %s, and names the remedy', async (_, token, sentence) => {
    const { isHealthy, lines } = await smokeAt(stack.url, await token())
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^FAIL list/)
    expect(lines[0]).toMatch(sentence)
    expect(isHealthy).toBe(false)
  })

  test('fails at a wrong path of the server', async () => {
    const { lines } = await smokeAt(`${stack.url}/prod`, await stack.tokenFor())
    expect(lines[0]).toMatch(/^FAIL list +answered 404 route_not_found: is this the URL/)
  })
})

describe('the smoke test with --remove', () => {
  const removing = async (token: string, url = stack.url) => {
    const client = connectTo(stack.table.endpoint)
    const data = dataOf(client, stack.table.name, systemClock)
    const scan = async () =>
      (await client.send(new ScanCommand({ TableName: data.tableName, ConsistentRead: true }))).Items
    const before = await scan()
    const { signal } = new AbortController()
    const deleteUrl = `${url}/api/v2/saml/providers/`
    const scratch = { data, deleteUrl, providerId: await freeProviderId(data, signal), signal }
    const { isHealthy, lines } = await smokeAt(url, token, { scratch })
    expect(await scan()).toEqual(before)
    return { isHealthy, removal: lines.at(-2) }
  }

  test('removes its own provider by the endpoint, and deletes its items', async () => {
    expect(await removing(await stack.tokenFor())).toEqual({
      isHealthy: true,
      removal: expect.stringMatching(/^ok +removal +200, two users unlinked, the same answer again$/),
    })
  })

  test('deletes its items when the removal is refused', async () => {
    expect(await removing(await stack.tokenFor({ scope: 'saml-providers:read' }))).toEqual({
      isHealthy: false,
      removal: expect.stringMatching(/^FAIL removal +answered 403 scope_missing: the token lacks the scope/),
    })
  })

  test('fails when the endpoint has another table', async () => {
    const other = await startLocalStack({ port: 0, log: () => {} })
    onTestFinished(other.stop)
    const { removal } = await removing(await other.tokenFor(), other.url)
    expect(removal).toMatch(/^FAIL removal +answered 404 provider_not_found: is it the table of this/)
  })
})

describe('without a deployment at the URL the smoke test reports the fault', () => {
  test('when nothing listens', async () => {
    const { isHealthy, lines } = await smokeAt('http://127.0.0.1:1', someToken)
    expect(lines[0]).toMatch(/^FAIL list +http:\/\/127.0.0.1:1\/api\/v2\/saml cannot be reached \(/)
    expect(isHealthy).toBe(false)
  })

  test('when the server never answers', async () => {
    const url = await serverOf(() => {})
    const { lines } = await smokeAt(url, someToken, { timeoutMs: 50 })
    expect(lines[0]).toContain('gave no answer within 0.05 s')
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
    const { isHealthy, lines } = await smokeAt(url, someToken)
    expect(lines[0]).toContain(sentence)
    expect(isHealthy).toBe(false)
  })

  test('when every call is answered with the list, without the headers', async () => {
    const provider = Object.fromEntries(Object.keys(samlProviderShape).map(name => [name, null]))
    const body = JSON.stringify({ data: { saml_providers: [provider] } })
    const methods = new Set<string | undefined>()
    const url = await serverOf(({ method }, response) => {
      methods.add(method)
      response.writeHead(200, { ...commonHeaders, Vary: 'Origin', 'Content-Type': 'text/plain' }).end(body)
    })
    const { isHealthy, lines } = await smokeAt(url, someToken)
    expect(lines.map(line => line.slice(0, 4).trim()).join(' ')).toBe('ok FAIL ok FAIL FAIL FAIL ok http')
    expect(lines[1]).toContain(
      'Vary is Origin; Content-Type is text/plain; X-Request-Id is missing; Deprecation is missing; Link names no successor',
    )
    expect(lines[2]).toContain('not compressed: this deployment offers neither br nor gzip')
    expect(lines[3]).toContain('answered 200 without a code, and not 401 credentials_missing')
    const emulated = await smokeAt(url, someToken, { isEmulated: true })
    expect(emulated.lines[5]).toMatch(/^skip unknown route /)
    expect(isHealthy).toBe(false)
    expect([...methods]).toEqual(['GET'])
  })

  test('when a refusal has another code', async () => {
    const url = await serverOf(({ headers }, response) =>
      headers.authorization === `Bearer ${someToken}`
        ? response.writeHead(200).end('{"data":{"saml_providers":[]}}')
        : response.writeHead(401).end('{"code":"token_rejected"}'),
    )
    const { lines } = await smokeAt(url, someToken)
    expect(lines[3]).toContain('answered 401 token_rejected, and not 401 credentials_missing')
  })

  test('when a body is not compressed as its header says', async () => {
    const url = await serverOf((_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('{}'),
    )
    const { lines } = await smokeAt(url, someToken)
    expect(lines[0]).toMatch(/^FAIL list .* cannot be read as its Content-Encoding, gzip, says \(/)
  })
})
