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
    const made = restEvent(request)
    expect(made).toMatchObject({ ...event, stageVariables: null })
    expect(made.requestContext).toMatchObject(requestContext)
    expect(Object.keys(made.requestContext.identity)).toEqual(Object.keys(requestContext.identity))
    for (const name of documented.ofTheApi)
      expect(made.requestContext, name).toHaveProperty(name, expect.any(String))
  })

  test('has the body in base64, as every media type is binary here, and null for none', () => {
    const made = restEvent(request)
    expect([Buffer.from(String(made.body), 'base64').toString(), made.isBase64Encoded]).toEqual([body, true])
    expect(eventOf({ body: Buffer.alloc(0) })).toMatchObject({ body: null, isBase64Encoded: false })
  })
})

describe('header lines', () => {
  test('of one name are all kept in order, and the last one stands alone', () => {
    const { headers: last, multiValueHeaders: all } = headers(
      'Prefer',
      'wait=1',
      'X',
      'y',
      'Prefer',
      'wait=2',
    )
    expect(all).toEqual({ Prefer: ['wait=1', 'wait=2'], X: ['y'] })
    expect(last).toEqual({ Prefer: 'wait=2', X: 'y' })
  })

  test('of names that differ in case stay apart, as they came', () => {
    expect(headers('Authorization', 'a', 'authorization', 'b').multiValueHeaders).toEqual({
      Authorization: ['a'],
      authorization: ['b'],
    })
  })

  test('of the connection are left out', () => {
    expect(headers('Connection', 'close', 'TE', 'gzip', 'Expect', '100-continue', 'X', 'y').headers).toEqual({
      X: 'y',
    })
  })

  test('named as what every object has are lines like any other', () => {
    const made = headers('__proto__', 'a', 'constructor', 'b', 'toString', 'c')
    expect(Object.entries(made.headers)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ])
  })
})

describe('the target', () => {
  test('without query and variables makes null of both', () => {
    expect(eventOf({ target: '/hello', pathParameters: {} })).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    })
  })

  test('keeps its encoding in the path and loses it in the query, where a second ? is a character', () => {
    expect(eventOf({ target: '/a%2Fb?c=%2F&d=e?f#g' })).toMatchObject({
      path: '/a%2Fb',
      queryStringParameters: { c: '/', d: 'e?f#g' },
    })
  })
})
