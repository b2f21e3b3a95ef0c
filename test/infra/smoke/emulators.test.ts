import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalStack, startLocalStack } from '../../../infra/local/stack.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { serverOf, smokeAt, someToken } from './run-smoke.ts'

let stack: LocalStack
beforeAll(async () => {
  stack = await startLocalStack({ port: 0, log: () => {} })
})
afterAll(() => stack.stop())

describe('on an emulator', () => {
  /** The local stack behind a fake gateway that answers an unknown route as LocalStack 2026.3.0 or SAM CLI 1.170.0. */
  const emulator = (unknownRoute: number, body = '{"message": "Missing Authentication Token"}') =>
    serverOf(async (request, response) => {
      if (request.url !== '/api/v2/saml')
        return void response.writeHead(unknownRoute, { 'content-type': 'application/json' }).end(body)
      const answer = await fetch(`${stack.url}${request.url}`, {
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
      })
      const headers = Object.fromEntries(answer.headers)
      delete headers['content-encoding']
      delete headers['content-length']
      delete headers['transfer-encoding']
      response.writeHead(answer.status, headers).end(await answer.text())
    })

  test.each([
    ['localstack', 404, 'LocalStack'],
    ['sam', 403, 'SAM CLI'],
  ])('%s the smoke test passes, and reports the known gap', async (name, status, title) => {
    const url = await emulator(status)
    const token = await stack.tokenFor()
    const { isHealthy, lines } = await smokeAt(url, token, { emulator: name })
    expect(lines.filter(line => !line.startsWith('ok  '))).toEqual([
      `gap  unknown route        answered ${status} without a code, and not 404 route_not_found: ${title} ignores the templates of API Gateway's own answers`,
      `${url}/api/v2/saml is healthy, except for the gaps of ${title}.`,
    ])
    expect(isHealthy).toBe(true)
  })

  test.each([
    [
      404,
      undefined,
      undefined,
      'answered 404 without a code, and not 404 route_not_found; for an emulator, set --emulator',
    ],
    [500, undefined, 'localstack', 'answered 500 without a code, and not 404 route_not_found'],
    [404, '{"code":"gone"}', 'localstack', 'answered 404 gone, and not 404 route_not_found'],
  ])('a %i %s is not a gap with --emulator %s', async (status, body, name, sentence) => {
    const url = await emulator(status, body)
    const { isHealthy, lines } = await smokeAt(url, await stack.tokenFor(), { emulator: name })
    expect(lines).toContain(`FAIL unknown route        ${sentence}`)
    expect(lines.at(-1)).toMatch(/ is not healthy\.$/)
    expect(isHealthy).toBe(false)
  })

  test('that sends compressed answers as base64 text the smoke test fails', async () => {
    const url = await serverOf(async (request, response) => {
      const provider = Object.fromEntries(Object.keys(samlProviderShape).map(name => [name, null]))
      const body = JSON.stringify({ data: { saml_providers: [provider] } })
      const coded = request.headers['accept-encoding'] === 'br, gzip'
      response.writeHead(200, coded ? { 'Content-Encoding': 'gzip' } : {})
      response.end(coded ? gzipSync(body).toString('base64') : body)
    })
    const { lines } = await smokeAt(url, someToken, { emulator: 'localstack' })
    expect(lines.join('\n')).toMatch(
      /^FAIL compressed .* cannot be read as its Content-Encoding, gzip, says \(/m,
    )
  })
})
