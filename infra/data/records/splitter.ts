/** The text of one record, or a problem. */
export type Piece = { line: number } & ({ bytes: Buffer } | { problem: string })

/** Splits a file into the texts of its records. */
export interface Splitter {
  /** @returns the records that end in this chunk */
  push(chunk: Buffer): Piece[]
  /** @returns the rest at the end of the file */
  end(): Piece[]
}

/** The maximum size of a record's text; an item has at most 400 KB. */
const recordBytesMax = 2 * 1024 * 1024
const tooLong = `the record is longer than ${recordBytesMax / 1024 / 1024} MB`

/** Collects the parts of a record's text, without those of one that is too long. */
export function collector() {
  let parts: Buffer[] = []
  let bytes = 0
  return {
    add(part: Buffer) {
      bytes += part.length
      if (bytes <= recordBytesMax) parts.push(part)
      else parts = []
    },
    /** The record, which began in this line; the next part begins another one. */
    take(line: number): Piece {
      const piece =
        bytes > recordBytesMax ? { line, problem: tooLong } : { line, bytes: Buffer.concat(parts) }
      parts = []
      bytes = 0
      return piece
    },
  }
}

export const newline = 0x0a
const blanks = [0x20, 0x09, newline, 0x0d]
export const isBlankByte = (byte: number) => blanks.includes(byte)
export const isBlank = (bytes: Buffer) => bytes.every(isBlankByte)
