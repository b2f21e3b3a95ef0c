import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import type { ApiRequest } from '../../../lib/http/request.ts'
import { headerLines } from '../../../lib/http/request.ts'
import { deleteEvent, listEvent } from './recorded-events.ts'

const { asApiGateway } = await import(join(projectRoot, 'infra/sam/as-api-gateway.mjs'))

const received = (event: object): ApiRequest => asApiGateway((asked: ApiRequest) => asked)(event, {})

describe('a function in the containers of SAM CLI', () => {
  test('receives each request with an id and a time of its own', () => {
    const before = Date.now()
    const [first, second] = [received(listEvent), received(listEvent)]
    expect(first.requestContext.requestId).not.toBe(second.requestContext.requestId)
    for (const { requestContext } of [first, second]) {
      expect(requestContext.requestId).not.toBe(listEvent.requestContext.requestId)
      expect(requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before)
    }
  })

  test('receives all else as SAM CLI sent it', () => {
    const event = received(listEvent)
    const { requestId, requestTimeEpoch } = event.requestContext
    const requestContext = { ...listEvent.requestContext, requestId, requestTimeEpoch }
    expect(event).toEqual({ ...listEvent, requestContext })
  })

  test('receives a removal by a client without Accept as SAM CLI sent it, but asks for no compression', () => {
    const { headers, multiValueHeaders, pathParameters } = received(deleteEvent)
    expect({ ...headers, 'Accept-Encoding': 'gzip' }).toEqual(deleteEvent.headers)
    expect({ ...multiValueHeaders, 'Accept-Encoding': ['gzip'] }).toEqual(deleteEvent.multiValueHeaders)
    expect(headers).not.toHaveProperty('Accept-Encoding')
    expect(multiValueHeaders).not.toHaveProperty('Accept-Encoding')
    expect(pathParameters).toEqual({ saml_provider_id: '1' })
  })

  // Seen with `curl -H 'Accept: …' -H 'Accept-Encoding: gzip'`: to the others SAM CLI hands the base64 text itself.
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
    ['text/html, */*;q=0.8', false], // it would do here: an answer without compression is right as well
  ])('is asked for compression by a client that accepts %j: %j', (accept, isAsked) => {
    const { Accept: _, ...others } = listEvent.headers
    const headers = { ...others, ...(accept !== undefined && { Accept: accept }) }
    const multiValueHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    )
    const lines = headerLines(received({ ...listEvent, headers, multiValueHeaders }), 'accept-encoding')
    expect(lines).toEqual(isAsked ? ['deflate, gzip, br, zstd'] : [])
  })
})
