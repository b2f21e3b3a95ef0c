import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import type { ApiRequest } from '../../../lib/http/request.ts'
import { headerLines } from '../../../lib/http/request.ts'
import { deleteEvent, listEvent } from './recorded-events.ts'

const { asApiGateway } = await import(join(projectRoot, 'infra/sam/as-api-gateway.mjs'))

const received = (event: object): ApiRequest => asApiGateway((request: ApiRequest) => request)(event, {})

describe('a function in a container of SAM CLI', () => {
  test('receives each request with a new id and the current time', () => {
    const before = Date.now()
    const [first, second] = [received(listEvent), received(listEvent)]
    expect(first.requestContext.requestId).not.toBe(second.requestContext.requestId)
    for (const { requestContext } of [first, second]) {
      expect(requestContext.requestId).not.toBe(listEvent.requestContext.requestId)
      expect(requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before)
    }
  })

  test('receives the rest of the event unchanged', () => {
    const event = received(listEvent)
    const { requestId, requestTimeEpoch } = event.requestContext
    const requestContext = { ...listEvent.requestContext, requestId, requestTimeEpoch }
    expect(event).toEqual({ ...listEvent, requestContext })
  })

  test('receives the request of a client without Accept unchanged except for Accept-Encoding', () => {
    const { headers, multiValueHeaders, pathParameters } = received(deleteEvent)
    expect({ ...headers, 'Accept-Encoding': 'gzip' }).toEqual(deleteEvent.headers)
    expect({ ...multiValueHeaders, 'Accept-Encoding': ['gzip'] }).toEqual(deleteEvent.multiValueHeaders)
    expect(headers).not.toHaveProperty('Accept-Encoding')
    expect(multiValueHeaders).not.toHaveProperty('Accept-Encoding')
    expect(pathParameters).toEqual({ saml_provider_id: '1' })
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
  ])('receives Accept-Encoding from a client that accepts %j: %j', (accept, isPassed) => {
    const { Accept: _, ...others } = listEvent.headers
    const headers = { ...others, ...(accept !== undefined && { Accept: accept }) }
    const multiValueHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    )
    const lines = headerLines(received({ ...listEvent, headers, multiValueHeaders }), 'accept-encoding')
    expect(lines).toEqual(isPassed ? ['deflate, gzip, br, zstd'] : [])
  })
})
