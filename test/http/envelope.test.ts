import { expect, test, vi } from 'vitest'
import type { Resource } from '../../lib/domain/resources.ts'
import { dataPieces } from '../../lib/http/envelope.ts'

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
