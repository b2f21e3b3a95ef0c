import { describe, expect, test } from 'vitest'
import { restEvent } from '../../../../infra/local/gateway/rest-event.ts'
import { documented } from './rest-event.vector.ts'

const { request } = documented
const eventOf = (changes: Partial<Parameters<typeof restEvent>[0]>) => restEvent({ ...request, ...changes })
const headers = (...rawHeaders: string[]) => eventOf({ rawHeaders })

describe('the event of a request', () => {
  const { body, requestContext, ...event } = documented.event

  test('has the members that AWS documents, and no others', () => {
    expect(Object.keys(restEvent(request)).sort()).toEqual([...documented.members].sort())
    expect(Object.keys(JSON.parse(JSON.stringify(restEvent(request).requestContext))).sort()).toEqual(
      [...Object.keys(requestContext), ...documented.ofTheApi].sort(),
    )
  })

  test('has the documented values of the documented request', () => {
    const created = restEvent(request)
    expect(created).toMatchObject({ ...event, stageVariables: null })
    expect(created.requestContext).toMatchObject(requestContext)
    expect(Object.keys(created.requestContext.identity).sort()).toEqual(
      Object.keys(requestContext.identity).sort(),
    )
    for (const name of documented.ofTheApi)
      expect(created.requestContext, name).toHaveProperty(name, expect.any(String))
  })

  test('has the body in base64, as every media type is binary, or null without one', () => {
    const created = restEvent(request)
    expect([Buffer.from(String(created.body), 'base64').toString(), created.isBase64Encoded]).toEqual([
      body,
      true,
    ])
    expect(eventOf({ body: Buffer.alloc(0) })).toMatchObject({ body: null, isBase64Encoded: false })
  })
})

describe('header lines', () => {
  test('of one name are all in multiValueHeaders in order, and only the last one is in headers', () => {
    const lines = [...['Prefer', 'wait=1'], ...['X', 'y'], ...['Prefer', 'wait=2']]
    expect(headers(...lines)).toMatchObject({
      headers: { Prefer: 'wait=2', X: 'y' },
      multiValueHeaders: { Prefer: ['wait=1', 'wait=2'], X: ['y'] },
    })
  })

  test('of names that differ in case are not merged', () => {
    expect(headers('Authorization', 'a', 'authorization', 'b').multiValueHeaders).toEqual({
      Authorization: ['a'],
      authorization: ['b'],
    })
  })

  test('of the connection are omitted', () => {
    expect(headers('Connection', 'close', 'TE', 'gzip', 'Expect', '100-continue', 'X', 'y').headers).toEqual({
      X: 'y',
    })
  })

  test('may have the names of properties that every object inherits', () => {
    const lines = ['__proto__', 'a', 'constructor', 'b', 'toString', 'c']
    expect(Object.entries(headers(...lines).headers).flat()).toEqual(lines)
  })
})

describe('the target', () => {
  test('without query and path parameters gives null for both', () => {
    expect(eventOf({ target: '/hello', pathParameters: {} })).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    })
  })

  test('stays encoded in the path and is decoded in the query, where a second ? is a character', () => {
    expect(eventOf({ target: '/a%2Fb?c=%2F&d=e?f#g' })).toMatchObject({
      path: '/a%2Fb',
      queryStringParameters: { c: '/', d: 'e?f#g' },
    })
  })
})
