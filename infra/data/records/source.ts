import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { type Line, readLines } from './lines.ts'
import type { Notes } from './read.ts'
import { type DataRecord, readRecord } from './record.ts'

/** An input of records, which is read once. */
export interface Source extends Pick<Notes, 'unknown'> {
  name: string
  open(): Readable
}

/** A record or its faults, and its place, such as `users.ndjson:12`. */
export interface Entry {
  place: string
  /** The line as it was read; empty when it is too long to keep, or not UTF-8. */
  text: string
  /** The JSON value; undefined for a line that is none. */
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
    const unknown = new Set<string>()
    if (stdinNames.includes(file))
      return { name: 'standard input', open: () => stdin ?? process.stdin, unknown }
    const stat = statSync(file)
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: file })
    return { name: file, open: () => (stat.isFIFO() ? openPipe(file) : createReadStream(file)), unknown }
  })

/** Opens a named pipe; a file stream would wait for its writer where nothing can interrupt it. */
function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/**
 * Reads the records of all sources in order, several at a time.
 *
 * @throws an error when the signal aborts, also while it waits for input; Error of one sentence when a source cannot be
 *   read to its end, or has no record
 */
export async function* readEntries(sources: readonly Source[], signal: AbortSignal): AsyncGenerator<Entry[]> {
  for (const source of sources) {
    let isEmpty = true
    for await (const lines of readLines(addAbortSignal(signal, source.open()))) {
      isEmpty &&= lines.length === 0
      yield lines.map(line => entryOf(source, line))
    }
    // A command that failed may have written it.
    if (isEmpty) throw new Error(`There is no record in ${source.name}.`)
  }
}

function entryOf({ name, unknown }: Source, line: Line): Entry {
  const entry = { place: `${name}:${line.number}`, text: line.text, given: undefined, record: undefined }
  if ('fault' in line) return { ...entry, faults: [line.fault] }
  const notes: Notes = { faults: [], unknown }
  const record = readRecord(line.value, line.text.length, notes)
  return { ...entry, given: line.value, record, faults: notes.faults }
}
