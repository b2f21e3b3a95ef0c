import { Writable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import type { Resource } from '../../lib/domain/resources.ts'
import { encodedPieces } from '../../lib/http/encoding.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { send } from '../../lib/http/transfer.ts'

const decode = { br: brotliDecompressSync, gzip: gunzipSync }

/** Pieces, and a promise that is fulfilled when their reader leaves them. */
function piecesOf(texts: string[], error?: Error) {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const pieces = async function* () {
    try {
      yield* texts
      if (error !== undefined) throw error
    } finally {
      leave()
    }
  }
  return { left, pieces: pieces() }
}

describe.each(['br', 'gzip'] as const)('a body in %s', coding => {
  const encoded = (pieces: AsyncGenerator<string>) => encodedPieces(pieces, coding) as AsyncIterable<Buffer>

  test.each([
    ['letters outside ASCII', ['é'.repeat(100_000), 'ü']],
    ['many pieces', Array.from({ length: 500 }, (_, n) => String(n).repeat(1000))],
  ])('of %s is whole after decoding', async (_, texts) => {
    const bytes = await Array.fromAsync(encoded(piecesOf(texts).pieces))
    expect(decode[coding](Buffer.concat(bytes)).toString()).toBe(texts.join(''))
  })

  test.each([10, 100_000])('begins with its first piece, of %i characters', async chars => {
    const second = Promise.withResolvers<string>()
    const pieces = async function* () {
      yield 'x'.repeat(chars)
      yield second.promise
    }
    const bytes = encoded(pieces())[Symbol.asyncIterator]()
    const first = await bytes.next()
    second.resolve('y')
    const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => bytes })
    expect(decode[coding](Buffer.concat([first.value, ...rest])).toString()).toBe(`${'x'.repeat(chars)}y`)
  })

  test.each([10, 2_000_000])('fails with the error of its pieces, after %i characters', async chars => {
    const { pieces } = piecesOf(['x'.repeat(chars)], new Error('not read'))
    await expect(Array.fromAsync(encoded(pieces))).rejects.toThrow('not read')
  })

  test('ends its pieces when its reader stops', async () => {
    const noise = Array.from({ length: 100 }, () => crypto.randomUUID().repeat(10_000))
    const { pieces, left } = piecesOf(noise)
    for await (const _ of encoded(pieces)) break
    await left
    expect((await pieces.next()).done).toBe(true)
  })
})

/** Numbers stand for resources: an answer writes its rows as they are. */
const rowsOf = (numbers: number[]) => numbers as unknown as Resource[]

async function* yielding(pages: number[][]) {
  for (const page of pages) yield rowsOf(page)
}
const paged = (pages: number[][], total: number) => ({ total, pages: yielding(pages) })

test.each([[[]], [[[]]], [[[1, 2], [3]]], [[[], [1], [], [2, 3], []]]])(
  'pages of %j are one array',
  async pages => {
    const pieces = await Array.fromAsync(dataPieces({ rows: paged(pages, 3) }))
    expect(JSON.parse(pieces.join(''))).toEqual({ data: { rows: pages.flat() } })
  },
)

test.each([
  [paged([[], [1, 2], [3]], 250), [['1,2', 2.5]]],
  [paged([[1, 2]], 100), [['1,2', 1]]],
  [paged([[]], 1), []],
])('the first page is measured, with the number of pages', async (rows, measured) => {
  const checkSize = vi.fn()
  await Array.fromAsync(dataPieces({ rows }, checkSize))
  expect(checkSize.mock.calls).toEqual(measured)
})

const head = { statusCode: 200, headers: {} }

test.each([
  [200, 0, 200_000_000],
  [200, 1, 200_000_000],
])('of a body of %i MB and %i bytes, %i bytes are sent', async (pieces, more, sentBytes) => {
  let bytes = 0
  const sink = new Writable({
    write(chunk, _, done) {
      bytes += chunk.length
      done()
    },
  })
  const body = [...Array(pieces).fill('é'.repeat(500_000)), 'y'.repeat(more)]
  const sent = send(head, body, () => sink)
  if (more === 0) await sent
  else await expect(sent).rejects.toMatchObject({ code: 'answer_too_large' })
  expect([bytes, sink.destroyed]).toEqual([sentBytes, more === 0])
})

test.each([
  [4_706_304, { isBase64Encoded: true }],
  [4_706_305, { code: 'answer_too_large' }],
])('of %i bytes, which are buffered as base64, the answer is %j', async (bytes, answer) => {
  const pieces = async function* () {
    yield Buffer.alloc(bytes)
  }
  expect(await send(head, pieces()).catch(error => error)).toMatchObject(answer)
})

test('sending waits for a stalled stream until the signal aborts', async () => {
  const stalled = new Writable({ highWaterMark: 1, write: () => {} })
  const sending = send(head, ['a', 'b'], () => stalled, AbortSignal.abort(new Error('time is over')))
  await expect(sending).rejects.toThrow('time is over')
  expect([stalled.destroyed, stalled.writableEnded]).toEqual([false, false])
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
    await expect(send(head, pieces(), () => failing)).rejects.toThrow('gone')
  },
)
