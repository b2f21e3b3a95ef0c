import type { Resource } from '../domain/resources.ts'

interface Pages {
  /** How many rows they are, with those that do not exist any more and are in no page. */
  total: number
  pages: AsyncIterable<readonly Resource[]>
}

/** The key below `data` and its rows, as one array or in pages that are read on demand. */
export type Data = Record<string, readonly Resource[]> | Record<string, Pages>

export const isPaged = (data: Data): data is Record<string, Pages> =>
  Object.values(data).some(rows => 'pages' in rows)

const rowsPerPageMax = 100

/**
 * Writes `{"data":{name:[…]}}` in pieces of one page each, so that the text of only one page is in memory.
 *
 * @param checkSize called before the first piece; the number of pages is a fraction
 */
export async function* dataPieces(
  data: Record<string, Pages>,
  checkSize: (firstPage: string, pages: number) => void = () => {},
): AsyncGenerator<string> {
  const [[name, { total, pages }]] = Object.entries(data) as [[string, Pages]]
  const start = `{"data":{${JSON.stringify(name)}:[`
  let before = start
  for await (const page of pages) {
    if (page.length === 0) continue
    const text = JSON.stringify(page).slice(1, -1)
    if (before === start) checkSize(text, total / rowsPerPageMax)
    yield before + text
    before = ','
  }
  yield before === start ? `${start}]}}` : ']}}'
}
