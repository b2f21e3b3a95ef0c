import { chunk } from '../concurrency.ts'
import type { Resource } from '../domain/resources.ts'

/** Rows in pages, which are read on demand. */
interface Paged<Row> {
  /** How many rows they are, with those that do not exist any more and are in no page. */
  total: number
  pages: AsyncIterable<readonly Row[]>
}

/** The key below `data` and its rows, as one array or in pages. */
export type Data = Record<string, readonly Resource[] | Paged<Resource>>

/** A page has at most so many rows. */
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
  const { total, pages } = 'pages' in rows ? rows : { total: rows.length, pages: chunk(rows, rowsPerPage) }
  const times = total / rowsPerPage
  const start = `{"data":{${JSON.stringify(name)}:[`
  let before = start
  for await (const page of pages) {
    if (page.length === 0) continue
    const text = JSON.stringify(page).slice(1, -1)
    if (before === start && times > 1) onFirstPage(text, times)
    yield before + text
    before = ','
  }
  yield before === start ? `${start}]}}` : ']}}'
}
