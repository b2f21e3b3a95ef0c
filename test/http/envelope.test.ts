import { expect, test } from 'vitest'
import { dataPieces } from '../../lib/http/envelope.ts'

async function* yielding(pages: number[][]) {
  yield* pages
}

test.each([[[]], [[[]]], [[[1, 2], [3]]], [[[], [1], [], [2, 3], []]]])(
  'pages of %j are one array',
  async pages => {
    const pieces = await Array.fromAsync(dataPieces({ rows: yielding(pages) }))
    expect(JSON.parse(pieces.join(''))).toEqual({ data: { rows: pages.flat() } })
  },
)
