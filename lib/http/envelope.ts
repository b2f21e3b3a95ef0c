/** The one array of an answer: at once, or page by page. */
type Rows = readonly unknown[] | AsyncIterable<readonly unknown[]>

/** An answer's one key below `data`, and its rows. */
export type Data = Record<string, Rows>

/** `{"data":{name:[…]}}` in pieces, written page by page, so that no more than a page of rows is held as objects. */
export async function* dataPieces(data: Data): AsyncGenerator<string> {
  const [[name, rows] = ['', []]] = Object.entries(data)
  yield `{"data":{${JSON.stringify(name)}:[`
  let separator = ''
  for await (const page of Symbol.asyncIterator in rows ? rows : [rows]) {
    if (page.length === 0) continue
    yield separator + JSON.stringify(page).slice(1, -1)
    separator = ','
  }
  yield ']}}'
}
