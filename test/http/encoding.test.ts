import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { encoded } from '../../lib/http/encoding.ts'

const decode = { br: brotliDecompressSync, gzip: gunzipSync }
const atOnceMaxChars = 1024 * 1024 - 1

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
  test.each([
    ['one character', ['x'], 1],
    ['the longest that is compressed at once', ['é'.repeat(atOnceMaxChars - 1), ']'], 1],
    ['one character more', ['é'.repeat(atOnceMaxChars), ']'], undefined],
    ['many pieces', Array.from({ length: 500 }, (_, n) => String(n).repeat(1000)), undefined],
  ])('of %s is whole after decoding', async (_, texts, chunks) => {
    const bytes = await Array.fromAsync(encoded(piecesOf(texts).pieces, coding) as AsyncIterable<Buffer>)
    expect(decode[coding](Buffer.concat(bytes)).toString()).toBe(texts.join(''))
    if (chunks !== undefined) expect(bytes).toHaveLength(chunks)
  })

  test.each([10, 2_000_000])('fails with the error of its pieces, after %i characters', async chars => {
    const { pieces } = piecesOf(['x'.repeat(chars)], new Error('not read'))
    await expect(Array.fromAsync(encoded(pieces, coding) as AsyncIterable<Buffer>)).rejects.toThrow(
      'not read',
    )
  })

  test('ends its pieces when its reader stops', async () => {
    const noise = Array.from({ length: 100 }, () => crypto.randomUUID().repeat(10_000))
    const { pieces, left } = piecesOf(noise)
    for await (const _ of encoded(pieces, coding)) break
    await left
    expect((await pieces.next()).done).toBe(true)
  })
})
