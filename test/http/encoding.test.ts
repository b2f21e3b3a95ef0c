import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { encodedPieces } from '../../lib/http/encoding.ts'

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
    ['one character', ['x']],
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
