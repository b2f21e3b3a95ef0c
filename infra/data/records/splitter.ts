/** The text of one record, or why there is none. */
export type Piece = { line: number } & ({ bytes: Buffer } | { problem: string })

/** Takes a file apart into the texts of its records. */
export interface Splitter {
  /** @returns the records that end in this part of the file */
  push(chunk: Buffer): Piece[]
  /** @returns what is left at the end of the file */
  end(): Piece[]
}

/** No item may be larger than 400 KB; a record's text may be somewhat longer. */
export const recordBytesMax = 2 * 1024 * 1024
export const tooLong = `the record is longer than ${recordBytesMax / 1024 / 1024} MB`

export const newline = 0x0a
const blanks = [0x20, 0x09, newline, 0x0d]
export const isBlankByte = (byte: number) => blanks.includes(byte)
export const isBlank = (bytes: Buffer) => bytes.every(isBlankByte)
