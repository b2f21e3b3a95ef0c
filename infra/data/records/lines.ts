const newline = 0x0a

/**
 * Splits a text that comes in chunks into its lines.
 *
 * @param bytesMax a longer line is cut to one byte more
 */
export function lineSplitter(bytesMax = Number.POSITIVE_INFINITY) {
  let rest: Buffer = Buffer.alloc(0)
  return {
    /** @returns the lines that end in this chunk, with their line ends */
    push(chunk: Buffer): Buffer[] {
      const lines = linesOf(Buffer.concat([rest, chunk]))
      rest = (lines.pop() as Buffer).subarray(0, bytesMax + 1)
      return lines
    },
    /** The text after the last line end. */
    rest: () => rest,
  }
}

/** The lines of a text with their line ends; the last one is the text after the last line end. */
export function linesOf(text: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let to = text.indexOf(newline); to >= 0; to = text.indexOf(newline, from)) {
    lines.push(text.subarray(from, to + 1))
    from = to + 1
  }
  return [...lines, text.subarray(from)]
}
