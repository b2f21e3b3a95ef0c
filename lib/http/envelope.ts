import { chunk } from '../concurrency.ts'

/** Rows in pages, without rows that do not exist any more. */
interface Pages<T> extends AsyncIterable<readonly T[]> {
  /** How many pages they would be with those, a fraction, if known before they are read. */
  pages?: number
}

/** The key below `data` and its rows, as one array or in pages. */
export type Data = Record<string, readonly unknown[] | Pages<unknown>>

/** An array is written in pages of this size. */
const rowsPerPage = 100

/**
 * Writes `{"data":{name:[…]}}` in pieces of one page each, so that the text of only one page is in memory.
 *
 * @param onFirstPage called before the first piece when there are more pages, with the text of the first page and the number
 *   of pages, a fraction
 */
export async function* dataPieces(
  data: Data,
  onFirstPage: (text: string, times: number) => void = () => {},
): AsyncGenerator<string> {
  const [[name, rows] = ['', []]] = Object.entries(data)
  const isPaged = Symbol.asyncIterator in rows
  const times = isPaged ? (rows.pages ?? 0) : rows.length / rowsPerPage
  const start = `{"data":{${JSON.stringify(name)}:[`
  let before = start
  for await (const page of isPaged ? rows : chunk(rows, rowsPerPage)) {
    if (page.length === 0) continue
    const text = JSON.stringify(page).slice(1, -1)
    if (before === start && times > 1) onFirstPage(text, times)
    yield before + text
    before = ','
  }
  yield before === start ? `${start}]}}` : ']}}'
}
