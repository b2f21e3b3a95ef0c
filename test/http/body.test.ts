import { Writable } from 'node:stream'
import { brotliCompressSync, constants, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { Resource } from '../../lib/domain/resources.ts'
import type { ContentCoding } from '../../lib/config.ts'
import { chooseCoding, encodedPieces, encodedText } from '../../lib/http/encoding.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { send } from '../../lib/http/transfer.ts'
import { accept, linked } from '../request/scenario.ts'
import { sampleProvider } from '../support/samples.ts'
import { world } from '../support/world.ts'

test.each([[[]], [[[]]], [[[], [1], [], [2, 3], []]]])(
  'pages of %j are answered as one array',
  async numbers => {
    async function* pages() {
      // Numbers stand for resources: an answer writes its rows as they are.
      for (const page of numbers) yield page as unknown as Resource[]
    }
    const pieces = await Array.fromAsync(dataPieces({ rows: { total: 3, pages: pages() } }))
    expect(JSON.parse(pieces.join(''))).toEqual({ data: { rows: numbers.flat() } })
  },
)

const head = { statusCode: 200, headers: {} }

test.each([0, 1])('of a body of 200 MB and %i bytes, 200 MB are sent', async more => {
  let bytes = 0
  const sink = new Writable({
    write(chunk, _, done) {
      bytes += chunk.length
      done()
    },
  })
  const sent = send(head, [...Array(200).fill('é'.repeat(500_000)), 'y'.repeat(more)], {
    openStream: () => sink,
  })
  if (more === 0) await sent
  else await expect(sent).rejects.toMatchObject({ code: 'answer_too_large' })
  expect([bytes, sink.destroyed]).toEqual([200_000_000, more === 0])
})

test.each([
  [4_706_304, true],
  [4_706_305, 'answer_too_large'],
])('an answer of %i bytes, which are buffered as base64, is %s', async (bytes, expected) => {
  const answer = await send(head, [Buffer.alloc(bytes)], {}).catch(error => error)
  expect(answer.code ?? answer.isBase64Encoded).toBe(expected)
})

test("a time-out while the next piece is awaited counts as the table's, not as the receiver's", async () => {
  const sink = new Writable({ write: (_, __, done) => done() })
  const codes: string[] = []
  let timeOutCode = () => 'none'
  async function* pieces() {
    yield 'a'
    codes.push(timeOutCode())
    yield 'b'
  }
  const onBegin = (given: () => string) => {
    timeOutCode = given
  }
  await send(head, pieces(), { openStream: () => sink, onBegin })
  expect(codes).toEqual(['table_busy'])
})

test.each([[['b']], [[]]])(
  'a stream that fails before the pieces %j fails the sending at once',
  async rest => {
    const failing = new Writable({ write: (_, __, done) => void setImmediate(done, new Error('gone')) })
    async function* pieces() {
      yield 'a'
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      yield* rest
    }
    await expect(send(head, pieces(), { openStream: () => failing })).rejects.toThrow('gone')
  },
)

test.each<[lines: string[], offered: ContentCoding[], chosen: string]>([
  [[], ['br', 'gzip'], 'identity'],
  [['br;q=0, *, gzip;q=0'], ['br', 'gzip'], 'identity'],
  [['*;q=0'], ['br', 'gzip'], 'identity'],
  [['gzip', 'br'], ['br', 'gzip'], 'br'],
  [['gzip;q=1, br;q=0.5'], ['br', 'gzip'], 'gzip'],
  [['gzip, br'], [], 'identity'],
  [['br'], ['gzip'], 'identity'],
  [['gzip, br'], ['gzip', 'br'], 'gzip'],
  [['gzip;q=0.5, identity'], ['br', 'gzip'], 'identity'],
])('%j of the client (RFC 9110 §12.5.3) gets of %j the coding %s', (lines, offered, chosen) => {
  expect(chooseCoding(lines, offered)).toBe(chosen)
})

test.each([
  ['br', (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['gzip', (text: string) => gzipSync(text, { level: 1 })],
] as const)('%s compresses a text and pieces by level 1', async (coding, compressed) => {
  const text = JSON.stringify(linked(50))
  async function* pieces() {
    yield text
  }
  const streamed = (await Array.fromAsync<string | Buffer>(encodedPieces(pieces(), coding))).map(Buffer.from)
  const { length } = compressed(text)
  expect([encodedText(text, coding).length, Buffer.concat(streamed).length]).toEqual([length, length])
})

const buffering = () => world({ RESPONSE_TRANSFER_MODE: 'BUFFERED', CONTENT_CODINGS: 'gzip' })
// A quote is \" in the body, and \\\" when the runtime has written the body as a JSON string.
const quotes = '"'.repeat(100_000)

test('a buffered answer over 6 MB is sent when it is compressed', async () => {
  const w = await buffering()
  const users = linked(16).map(user => ({ ...user, first_name: { string: quotes, valid: true } }))
  await w.putProvider(sampleProvider(7), users)
  const { json } = await w.remove(7)
  expect([json().code, json().detail]).toEqual([
    'answer_too_large',
    expect.stringContaining('takes br or gzip'),
  ])
  expect((await w.list()).json().data.saml_providers).toEqual([])
  const { text } = await w.remove(7, accept('br, gzip'))
  expect(JSON.parse(String(gunzipSync(text as Buffer))).data.affected_user).toHaveLength(16)
})

test.each([
  [15, 200],
  [16, 413],
])(
  'a buffered answer is measured as a JSON string in JSON: 400 KB from each of %i get %i',
  async (count, status) => {
    const w = await buffering()
    const provider = { ...sampleProvider(1), name: quotes }
    vi.spyOn(w.deps, 'listProviders').mockResolvedValue(Array(count).fill(provider))
    expect((await w.list()).status).toBe(status)
  },
)
