/** The one array of an answer: at once, or page by page. */
export type Rows = readonly unknown[] | AsyncIterable<readonly unknown[]>

/** An answer's one key below `data`, and its rows. */
export type Data = Record<string, Rows>

/** `{"data":{name:[…]}}`, written page by page, so that no more than a page of rows is held as objects. */
export async function dataBody(data: Data): Promise<string> {
  const members: string[] = []
  for (const [name, rows] of Object.entries(data))
    members.push(`${JSON.stringify(name)}:[${await rowsOf(rows)}]`)
  return `{"data":{${members.join(',')}}}`
}

async function rowsOf(rows: Rows): Promise<string> {
  const written: string[] = []
  for await (const page of Symbol.asyncIterator in rows ? rows : [rows]) {
    for (const row of page) written.push(JSON.stringify(row))
  }
  return written.join(',')
}
