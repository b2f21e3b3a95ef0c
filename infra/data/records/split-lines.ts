import { isBlank, newline, type Piece, recordBytesMax, type Splitter, tooLong } from './splitter.ts'

/** Splits NDJSON, one record per line; a malformed line does not affect the next. */
export function lineSplitter(): Splitter {
  let line = 1
  let held: Buffer[] = []
  let heldBytes = 0

  const hold = (part: Buffer) => {
    heldBytes += part.length
    if (heldBytes <= recordBytesMax) held.push(part)
    else held = []
  }
  const take = (): Piece[] => {
    const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
    const piece = heldBytes > recordBytesMax ? { line, problem: tooLong } : { line, bytes }
    held = []
    heldBytes = 0
    return 'bytes' in piece && isBlank(piece.bytes) ? [] : [piece]
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let from = 0
      for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
        hold(chunk.subarray(from, to))
        pieces.push(...take())
        line += 1
        from = to + 1
      }
      // A copy: the stream may reuse the chunk's memory.
      hold(Buffer.from(chunk.subarray(from)))
      return pieces
    },
    end: take,
  }
}
