import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import type { ApiRequest } from '../../../lib/http/request.ts'
/** An event of SAM CLI 1.170.0: request id and time are those of its own start. */
const eventOf = (headers: Record<string, string>) => ({
  httpMethod: 'DELETE',
  resource: '/api/v2/saml/providers/{saml_provider_id}',
  pathParameters: { saml_provider_id: '1' },
  isBase64Encoded: true,
  requestContext: {
    requestId: '14173d2d-7904-4044-9530-1b5b390abf30',
    requestTimeEpoch: 1795282119832,
    stage: 'local',
  },
  headers,
  multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
})
const codings = { 'Accept-Encoding': 'deflate, gzip, br, zstd' }
const event = eventOf({ Authorization: 'Bearer TOKEN', Accept: '*/*', ...codings })

const { asApiGateway } = await import(join(projectRoot, 'infra/sam/as-api-gateway.mjs'))

const received = (sent: object): ApiRequest => asApiGateway((request: ApiRequest) => request)(sent, {})

describe('a function in a container of SAM CLI', () => {
  test('receives each request with a new id and the current time, and else unchanged', () => {
    const before = Date.now()
    const [first, second] = [received(event), received(event)]
    expect(first.requestContext.requestId).not.toBe(second.requestContext.requestId)
    for (const { requestContext, ...others } of [first, second]) {
      expect(requestContext.requestId).not.toBe(event.requestContext.requestId)
      expect(requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before)
      const { requestId, requestTimeEpoch } = requestContext
      expect({ requestContext, ...others }).toEqual({
        ...event,
        requestContext: { ...event.requestContext, requestId, requestTimeEpoch },
      })
    }
  })

  // Seen with `curl -H 'Accept: …' -H 'Accept-Encoding: gzip'`: to the others SAM CLI sends the base64 text.
  test.each([
    ['*/*', true],
    ['application/json', true],
    ['application/*', true],
    ['application/json, text/plain, */*', true],
    ['Application/JSON', true],
    [undefined, false],
    ['', false],
    ['text/html', false],
    ['application/json;q=0, */*', false],
    ['text/html, */*;q=0.8', false], // SAM CLI would decode it; an uncompressed answer is correct, too
  ])(
    'receives Accept-Encoding from a client that accepts %j: %j, and the other headers',
    (accept, isPassed) => {
      const others = { Authorization: 'Bearer TOKEN', ...(accept !== undefined && { Accept: accept }) }
      const { headers, multiValueHeaders } = received(eventOf({ ...others, ...codings }))
      const expected = eventOf(isPassed ? { ...others, ...codings } : others)
      expect([headers, multiValueHeaders]).toEqual([expected.headers, expected.multiValueHeaders])
    },
  )
})
