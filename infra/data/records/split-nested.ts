import { collector, isBlankByte, newline, type Piece, type Splitter } from './splitter.ts'

/**
 * Splits a JSON text into its objects at one depth.
 *
 * @param depth the number of lists and objects around each object: 1 in an array, 3 in `{"data":{"users":[…]}}`, 0 for
 *   objects one after the other
 */
export function nestedSplitter(depth: number): Splitter {
  let line = 1
  let level = 0
  let isText = false
  let isEscaped = false
  let state: 'open' | 'closed' | 'malformed' = 'open'
  /** The line where the current record began. */
  let startLine: number | undefined
  const { add, take } = collector()
  const refuse = (problem: string): Piece => {
    state = 'malformed'
    return { line, problem }
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let from = 0
      for (let at = 0; at < chunk.length && state !== 'malformed'; at++) {
        const byte = chunk[at] as number
        if (byte === newline) line += 1
        if (isText) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) isText = false
        } else if (state === 'closed') {
          if (!isBlankByte(byte)) pieces.push(refuse('there is more text after the end of the JSON'))
        } else if (byte === openBrace || byte === openBracket) {
          if (level === depth) {
            startLine = line
            from = at
          }
          level += 1
        } else if (byte === closeBrace || byte === closeBracket) {
          level -= 1
          if (level === depth && startLine !== undefined) {
            add(chunk.subarray(from, at + 1))
            pieces.push(take(startLine))
            startLine = undefined
          }
          if (level <= 0 && depth > 0) state = 'closed'
        } else if (level === depth && byte !== comma && !isBlankByte(byte)) {
          pieces.push(refuse('a record must be an object; the rest of the file is not read'))
        } else if (byte === quote) isText = true
      }
      // A copy: the stream may reuse the chunk's memory.
      if (startLine !== undefined) add(Buffer.from(chunk.subarray(from)))
      return pieces
    },
    end: () =>
      state === 'open' && (level > 0 || depth > 0)
        ? [{ line, problem: 'the file ends inside a record; it may be cut off' }]
        : [],
  }
}

const comma = 0x2c
const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
