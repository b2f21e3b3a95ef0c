import { collector, isBlank, newline, type Piece, type Splitter } from './splitter.ts'

/** Splits NDJSON, one record per line; a malformed line does not affect the next. */
export function lineSplitter(): Splitter {
  let line = 1
  const { add, take: takeAt } = collector()
  const take = () => {
    const piece = takeAt(line)
    return 'bytes' in piece && isBlank(piece.bytes) ? [] : [piece]
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let from = 0
      for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, to))
        pieces.push(...take())
        line += 1
        from = to + 1
      }
      // A copy: the stream may reuse the chunk's memory.
      add(Buffer.from(chunk.subarray(from)))
      return pieces
    },
    end: take,
  }
}
