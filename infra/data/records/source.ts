import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { type DataRecord, readRecord } from './record.ts'
import type { Dialect, Seen } from './read.ts'
import { type Piece, type Reader, readerOf } from './reader.ts'

/** An input of records, which is read once. */
export interface Source {
  name: string
  /** Undefined when only its end shows it, as for standard input and a named pipe. */
  bytes: number | undefined
  open(): Readable
  /** What has been seen besides records, and the kinds of values that were changed. */
  seen: Seen & { changed: Set<string> }
}

/** A record or its faults, and its place, such as `users.ndjson:12`. */
export interface Entry {
  place: string
  /** The JSON value as it was read; `{ text }` for a text that is no JSON; undefined for one that is too long to keep. */
  given: unknown
  record: DataRecord | undefined
  faults: string[]
}

/** Other names of standard input. */
const stdinNames = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']

/**
 * Finds the inputs, before any is read.
 *
 * @param stdin default: that of the process
 * @throws Error of the file system, with its path
 */
export const findSources = (files: readonly string[], stdin?: Readable): Source[] =>
  files.map(file => {
    const seen = { dialects: new Set<Dialect>(), unknown: new Set<string>(), changed: new Set<string>() }
    if (stdinNames.includes(file))
      return { name: 'standard input', bytes: undefined, open: () => stdin ?? process.stdin, seen }
    const stat = statSync(file)
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: file })
    return {
      name: file,
      bytes: stat.isFile() ? stat.size : undefined,
      open: () => (stat.isFIFO() ? openPipe(file) : createReadStream(file)),
      seen,
    }
  })

/** Opens a named pipe; a file stream would wait for its writer where nothing can interrupt it. */
function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/**
 * Reads the records of all sources in order, several at a time.
 *
 * @param advance called with the number of bytes read
 * @throws an error when the signal aborts, also while it waits for input; Error of one sentence when a source cannot be
 *   read to its end, and when there is no record in any
 */
export async function* readEntries(
  sources: readonly Source[],
  advance: (bytes: number) => void,
  signal: AbortSignal,
): AsyncGenerator<Entry[]> {
  let isEmpty = true
  for (const source of sources)
    for await (const pieces of readPieces(source, advance, signal)) {
      isEmpty &&= pieces.length === 0
      yield pieces.map(piece => entryOf(source, piece))
    }
  if (isEmpty) throw new Error(`There is no record in ${sources.map(({ name }) => name).join(', ')}.`)
}

/**
 * Reads what is in a source, several pieces at a time.
 *
 * @param advance called with the number of bytes read
 * @param choose chooses the reader by the beginning of the file
 * @throws as `readEntries`, but not when there is none
 */
export async function* readPieces(
  { name, open }: Pick<Source, 'name' | 'open'>,
  advance: (bytes: number) => void,
  signal: AbortSignal,
  choose = readerOf,
): AsyncGenerator<Piece[]> {
  let reader: Reader | undefined
  // A pipe may give it in pieces.
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of addAbortSignal(signal, open())) {
    advance(chunk.length)
    if (reader !== undefined) yield reader.push(chunk)
    else {
      head = Buffer.concat([head, chunk])
      if (head.length < headBytes) continue
      reader = choose(name, head.subarray(0, headBytes))
      yield reader.push(head)
    }
  }
  if (reader === undefined) {
    reader = choose(name, head)
    yield reader.push(head)
  }
  yield reader.end()
}

/** The beginning of a file that shows its form. */
const headBytes = 4096

function entryOf({ name, seen }: Source, piece: Piece): Entry {
  const place = `${name}:${piece.line}`
  if ('fault' in piece) {
    const given = piece.text === undefined ? undefined : { text: piece.text }
    return { place, given, record: undefined, faults: [piece.fault] }
  }
  const given = refusedRecordIn(piece.value) ?? piece.value
  const notes = { ...seen, faults: [] as string[] }
  const record = readRecord(given, piece.size, notes)
  return { place, given, record, faults: notes.faults }
}

/** The record in a line of a file of refused records, which is sent again when it is mended. */
const refusedRecordIn = (value: unknown) =>
  isJsonObject(value) && 'place' in value && 'fault' in value ? value.record : undefined
