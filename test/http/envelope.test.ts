import { expect, test, vi } from 'vitest'
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

test.each([
  [Object.assign(yielding([[], [1, 2], [3]]), { pages: 2.5 }), [['1,2', 2.5]]],
  [Object.assign(yielding([[1, 2]]), { pages: 1 }), []],
  [yielding([[1], [2]]), []],
  [Array<number>(250).fill(1), [[Array(100).fill(1).join(), 2.5]]],
  [Array<number>(100).fill(1), []],
])('of several pages the first is announced, however few rows are left of it', async (rows, announced) => {
  const onFirstPage = vi.fn()
  await Array.fromAsync(dataPieces({ rows }, onFirstPage))
  expect(onFirstPage.mock.calls).toEqual(announced)
})
