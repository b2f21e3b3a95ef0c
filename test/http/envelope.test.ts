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
  [250, [[], [1, 2], [3]], [['1,2', 2.5]]],
  [100, [[1, 2]], []],
])(
  'of %i rows, the first page of several is announced, however few are left of it',
  async (total, pages, announced) => {
    const onFirstPage = vi.fn()
    const rows = Object.assign(yielding(pages), { total })
    await Array.fromAsync(dataPieces({ rows }, onFirstPage))
    expect(onFirstPage.mock.calls).toEqual(announced)
  },
)
