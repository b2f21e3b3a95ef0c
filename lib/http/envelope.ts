import { chunk } from '../concurrency.ts'

/** Rows page by page. */
interface Pages<T> extends AsyncIterable<readonly T[]> {
  /** How many rows there are at the most, where that is known before they are read. */
  total?: number
}

/** An answer's one key below `data`, and its rows: at once, or page by page. */
export type Data = Record<string, readonly unknown[] | Pages<unknown>>

/** Rows that are there at once are written in pages of this many, too. */
const rowsPerPage = 100

/**
 * `{"data":{name:[…]}}` in pieces, written page by page, so that no more than a page of rows is held as text.
 *
 * @param onFirstPage is called before the first piece when there is more than a page: with the text of the first one, and
 *   how many times as many rows there are
 */
export async function* dataPieces(
  data: Data,
  onFirstPage: (text: string, times: number) => void = () => {},
): AsyncGenerator<string> {
  const [[name, rows] = ['', []]] = Object.entries(data)
  const isPaged = Symbol.asyncIterator in rows
  const total = isPaged ? (rows.total ?? 0) : rows.length
  const start = `{"data":{${JSON.stringify(name)}:[`
  let before = start
  for await (const page of isPaged ? rows : chunk(rows, rowsPerPage)) {
    if (page.length === 0) continue
    const text = JSON.stringify(page).slice(1, -1)
    if (before === start && total > page.length) onFirstPage(text, total / page.length)
    yield before + text
    before = ','
  }
  yield before === start ? `${start}]}}` : ']}}'
}
