import type { Readable } from 'node:stream'

/** A line with its number and the JSON value in it, or why it has none. */
export type Line = { number: number; text: string } & ({ value: unknown } | { fault: string })

/** The maximum number of bytes of a line; an item has at most 400 KB. */
const bytesMax = 2 * 1024 * 1024

/**
 * Reads a text of one JSON value a line, several lines at a time, without the blank ones.
 *
 * No more than one line that is too long is ever in memory. A fault never quotes the text, which is people's data.
 */
export async function* readLines(stream: Readable): AsyncGenerator<Line[]> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  const read = (bytes: Buffer) => readLine(bytes, ++number)
  for await (const chunk of stream) {
    const lines = linesIn(Buffer.concat([rest, chunk]))
    // Of a line that is too long, no more is kept than shows it.
    rest = (lines.pop() as Buffer).subarray(0, bytesMax + 1)
    yield lines.flatMap(read)
  }
  yield read(rest)
}

/** The lines of a text; the last one is the text after the last line end. */
function linesIn(text: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
    lines.push(text.subarray(from, to))
    from = to + 1
  }
  return [...lines, text.subarray(from)]
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @returns none for a blank line */
function readLine(bytes: Buffer, number: number): Line[] {
  if (bytes.length > bytesMax)
    return [{ number, text: '', fault: `the line is longer than ${bytesMax / 1024 / 1024} MB` }]
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return [{ number, text: '', fault: 'the line is not UTF-8' }]
  }
  if (text.trim() === '') return []
  try {
    return [{ number, text, value: JSON.parse(text) }]
  } catch (error) {
    const [, at] = /at position (\d+)/.exec((error as Error).message) ?? []
    const where = at === undefined ? '' : ` from character ${Number(at) + 1} on`
    return [{ number, text, fault: `the line is not JSON${where}: write one record a line, as jq -c does` }]
  }
}
