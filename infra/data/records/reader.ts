import { type JsonRecord, jsonRecords, sizeMax, tooLong, unambiguousValue } from './json.ts'

/** A record, or a line that is none. */
export type Piece = JsonRecord | { line: number; fault: string; text: string | undefined }

/** Reads the records of a file, which comes in chunks. */
export interface Reader {
  /** @returns the records that end in this chunk */
  push(chunk: Buffer): Piece[]
  /** @returns the rest at the end of the file */
  end(): Piece[]
}

/**
 * Chooses the reader of a file. A line of NDJSON that is no JSON is refused alone; after a fault in any other form
 * nothing can be trusted, so the reader throws an error with the place, the reason and the remedy.
 *
 * @param head the beginning of the file, which shows its form
 */
export function readerOf(name: string, head: Buffer): Reader {
  const text = textOf(name, head)
  if (/^\s*\[/.test(text)) return wholeReader(name, 1)
  if (/^\s*\{\s*"data"\s*:\s*\{/.test(text)) return wholeReader(name, 3)
  return /^\s*\{\s*\r?\n/.test(text) ? wholeReader(name, 0) : lineReader()
}

/** The reader of another system's file: the values of a JSON array, or one after the other, of any length. */
export const valueReader = (name: string, head: Buffer): Reader =>
  wholeReader(name, /^\s*\[/.test(textOf(name, head)) ? 1 : 0, Number.POSITIVE_INFINITY)

function textOf(name: string, head: Buffer): string {
  if (head[0] === 0x1f && head[1] === 0x8b)
    throw new Error(`${name} is compressed. Unpack it: gunzip -c FILE > OTHER`)
  if (head.includes(0))
    throw new Error(`${name} is not UTF-8. If it is UTF-16: iconv -f UTF-16 -t UTF-8 FILE > OTHER`)
  return head.toString()
}

function wholeReader(name: string, depth: number, lengthMax?: number): Reader {
  const decoder = utf8()
  const json = jsonRecords(depth, lengthMax)
  let line = 1
  const orStop = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw new Error(
        `${name}:${line}: ${reasonOf(error)}. What follows cannot be read: mend the file, or write it again if it is cut off.`,
      )
    }
  }

  return {
    push: chunk =>
      linesOf(chunk).flatMap((text, index) => {
        if (index > 0) line += 1
        return orStop(() => json.push(decoder.decode(text, { stream: true }), line))
      }),
    end: () =>
      orStop(() => {
        const last = json.push('\n', line) // It ends a number.
        json.end()
        return last
      }),
  }
}

function lineReader(): Reader {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  const read = (text: Buffer) => readLine(text, ++line)
  return {
    push(chunk) {
      const lines = linesOf(Buffer.concat([rest, chunk]))
      // Of a line that is too long, no more is kept than shows it.
      rest = (lines.pop() as Buffer).subarray(0, sizeMax + 1)
      return lines.flatMap(read)
    },
    end: () => read(rest),
  }
}

/** The lines of a text with their line ends; the last one is the text after the last line end. */
function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
    lines.push(text.subarray(from, to + 1))
    from = to + 1
  }
  return [...lines, text.subarray(from)]
}

function readLine(bytes: Buffer, line: number): Piece[] {
  if (bytes.length > sizeMax) return [{ line, fault: tooLong, text: undefined }]
  try {
    const text = utf8Line.decode(bytes)
    const value = unambiguousValue(text)
    if (value !== undefined) return [{ line, value, size: text.length }]
    const json = jsonRecords(0)
    const records = json.push(text, line)
    json.end()
    return records
  } catch (error) {
    const text = bytes.toString().trim()
    return [{ line, fault: reasonOf(error) + (isOfCopy.test(text) ? copyHint : ''), text }]
  }
}

/** The text format of PostgreSQL's COPY: `\N` for null, and each backslash twice. */
const isOfCopy = /^\\N$|\\\\"/
const copyHint = '; COPY doubles backslashes: write the file with psql -qAt -f FILE.sql'

const utf8 = () => new TextDecoder('utf-8', { fatal: true })
const utf8Line = utf8()

const reasonOf = (error: unknown) =>
  (error as Error).message
    .replace(/^The encoded data .*/, 'the text is not UTF-8')
    .replace(/^Parser (cannot parse input:|has) /, 'the text is not JSON: ')
    .replace(/escaped characters$/, 'a character is not escaped as JSON does it')
