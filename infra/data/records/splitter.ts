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
export const recordBytesMax = 2 * 1024 * 1024
export const tooLong = `the record is longer than ${recordBytesMax / 1024 / 1024} MB`

export const newline = 0x0a
const blanks = [0x20, 0x09, newline, 0x0d]
export const isBlankByte = (byte: number) => blanks.includes(byte)
export const isBlank = (bytes: Buffer) => bytes.every(isBlankByte)
