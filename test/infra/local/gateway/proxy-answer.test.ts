import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readProxyAnswer, readStreamMetadata } from '../../../../infra/local/gateway/proxy-answer.ts'

const read = (value: unknown) => readProxyAnswer({ json: JSON.stringify(value) })

describe('a proxy answer', () => {
  test('is read as status, header lines and bytes', () => {
    expect(read({ statusCode: 200, headers: { A: 'b' }, body: 'é' })).toEqual({
      status: 200,
      headers: [['A', 'b']],
      body: Buffer.from('é'),
    })
  })

  test('may have a status in text, numbers and booleans as header values, and null for absent members', () => {
    expect(
      read({ statusCode: '404', headers: { A: 1, B: true }, multiValueHeaders: null, body: null }),
    ).toEqual({
      status: 404,
      headers: [
        ['A', '1'],
        ['B', 'true'],
      ],
      body: Buffer.alloc(0),
    })
  })

  test('has its two header members merged, with a line that is in both only once', () => {
    const answer = read({
      statusCode: 200,
      headers: { link: '<a>', X: 'y' },
      multiValueHeaders: { Link: ['<a>', '<b>'] },
    })
    expect(answer.headers).toEqual([
      ['X', 'y'],
      ['Link', '<a>'],
      ['Link', '<b>'],
    ])
  })

  test.each([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ statusCode: 'OK' }],
    [{ statusCode: 200.5 }],
    [{ statusCode: 99 }],
    [{ statusCode: 600 }],
    [{ statusCode: 200, body: { data: 1 } }],
    [{ statusCode: 200, isBase64Encoded: 'true' }],
    [{ statusCode: 200, headers: { A: ['b'] } }],
    [{ statusCode: 200, headers: { A: null } }],
    [{ statusCode: 200, multiValueHeaders: { A: 'b' } }],
    [{ statusCode: 200, cookies: ['a=b'] }],
    [{ statusCode: 200, unknown: 1 }],
  ])('%j is malformed', value => {
    expect(() => read(value)).toThrow(/^Malformed Lambda proxy response: /)
  })

  test('that is a stream is malformed, and the stream is destroyed', () => {
    const stream = Readable.from(['a'])
    expect(() => readProxyAnswer({ json: '{"statusCode":200}', stream })).toThrow('Malformed')
    expect(stream.destroyed).toBe(true)
  })
})

describe("a stream's metadata", () => {
  test('is read as status, header lines and cookies', () => {
    expect(readStreamMetadata('{"statusCode":200,"headers":{"A":"b"},"cookies":["c=d"]}')).toEqual({
      status: 200,
      headers: [
        ['A', 'b'],
        ['Set-Cookie', 'c=d'],
      ],
    })
  })

  test.each(['null', '{}', '{"statusCode":200,"body":""}'])('%s is malformed', json => {
    expect(() => readStreamMetadata(json)).toThrow(/^Malformed Lambda proxy response: /)
  })
})
