import type { Resource } from '../domain/resources.ts'

/** The key below `data` and its rows, which are there. */
type Rows = Record<string, readonly Resource[]>

/** The key below `data` and its rows in pages, which are read on demand. */
type Pages = Record<
  string,
  {
    /** How many rows they are, with those that do not exist any more and are in no page. */
    total: number
    pages: AsyncIterable<readonly Resource[]>
  }
>

/** What an endpoint answers with: one list. */
export type Data = Rows | Pages

export const isPaged = (data: Data): data is Pages => Object.values(data).some(rows => 'pages' in rows)

/** A page has at most so many rows. */
const rowsPerPage = 100

/**
 * Writes `{"data":{name:[…]}}` in pieces of one page each, so that the text of only one page is in memory.
 *
 * @param checkSize called before the first piece with the text of the first page and the number of pages, a fraction
 */
export async function* dataPieces(
  data: Pages,
  checkSize: (firstPage: string, pages: number) => void = () => {},
): AsyncGenerator<string> {
  const [[name, { total, pages }]] = Object.entries(data) as [[string, Pages[string]]]
  const start = `{"data":{${JSON.stringify(name)}:[`
  let before = start
  for await (const page of pages) {
    if (page.length === 0) continue
    const text = JSON.stringify(page).slice(1, -1)
    if (before === start) checkSize(text, total / rowsPerPage)
    yield before + text
    before = ','
  }
  yield before === start ? `${start}]}}` : ']}}'
}
