import { describe, expect, test } from 'vitest'
import { readProxyAnswer, readStreamMetadata } from '../../../../infra/local/gateway/proxy-answer.ts'

const read = (value: unknown) => readProxyAnswer({ json: JSON.stringify(value) })

describe('a proxy answer', () => {
  test('is read as status, header lines and bytes', () => {
    const bytes = Buffer.from([0, 255, 1])
    const [status, headers] = [200, [['A', 'b']]]
    const answer = { statusCode: status, headers: { A: 'b' } }
    expect(read({ ...answer, body: 'é' })).toEqual({ status, headers, body: Buffer.from('é') })
    const base64 = { body: bytes.toString('base64'), isBase64Encoded: true }
    expect(read({ ...answer, ...base64 })).toEqual({ status, headers, body: bytes })
  })

  test('may have a status in text, numbers and booleans as header values, and null for absent members', () => {
    expect(
      read({ statusCode: '404', headers: { A: 1, B: true }, multiValueHeaders: null, body: null }),
    ).toEqual({ status: 404, headers: Object.entries({ A: '1', B: 'true' }), body: Buffer.alloc(0) })
  })

  test('has its two header members merged, with a line that is in both only once', () => {
    const answer = read({
      statusCode: 200,
      headers: { link: '<a>', X: 'y' },
      multiValueHeaders: { Link: ['<a>', '<b>'] },
    })
    expect(answer.headers.flat()).toEqual([...['X', 'y'], ...['Link', '<a>'], ...['Link', '<b>']])
  })

  const good = { statusCode: 200 }
  test.each([
    ...[null, 'text', [[]], {}, { statusCode: 'OK' }, { statusCode: 200.5 }, { statusCode: 99 }],
    ...[{ statusCode: 600 }, { ...good, body: { data: 1 } }, { ...good, isBase64Encoded: 'true' }],
    ...[
      { ...good, headers: { A: ['b'] } },
      { ...good, headers: { A: null } },
      { ...good, unknown: 1 },
    ],
    ...[
      { ...good, multiValueHeaders: { A: 'b' } },
      { ...good, cookies: ['a=b'] },
    ],
  ])('%j is malformed', value => {
    expect(() => read(value)).toThrow(/^Malformed Lambda proxy response: /)
  })
})

describe("a stream's metadata", () => {
  test('is read as status, header lines and cookies', () => {
    expect(readStreamMetadata('{"statusCode":200,"headers":{"A":"b"},"cookies":["c=d"]}')).toEqual({
      status: 200,
      headers: Object.entries({ A: 'b', 'Set-Cookie': 'c=d' }),
    })
  })

  test.each(['null', '{}', '{"statusCode":200,"body":""}'])('%s is malformed', json => {
    expect(() => readStreamMetadata(json)).toThrow(/^Malformed Lambda proxy response: /)
  })
})
