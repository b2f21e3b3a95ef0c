import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { type DataRecord, readRecord } from './record.ts'
import type { Dialect, Notes, Seen } from './read.ts'
import { lineSplitter } from './split-lines.ts'
import { nestedSplitter } from './split-nested.ts'
import type { Piece, Splitter } from './splitter.ts'

/** An input of records, which is read once. */
export interface Source {
  name: string
  /** Undefined when only its end shows it, as for standard input and a named pipe. */
  bytes: number | undefined
  open(): Readable
  /** What has been seen besides records. */
  seen: Seen
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
    const seen = { dialects: new Set<Dialect>(), unknown: new Set<string>() }
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
 * Reads the records of a source in order, several at a time.
 *
 * @param advance called with the number of bytes read
 * @throws an error when the signal aborts, also while it waits for input
 */
export async function* readEntries(
  { name, open, seen }: Source,
  advance: (bytes: number) => void,
  signal: AbortSignal,
): AsyncGenerator<Entry[]> {
  let splitter: Splitter | undefined
  for await (const chunk of withHead(addAbortSignal(signal, open()))) {
    const isFirst = splitter === undefined
    const text = isFirst && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk
    splitter ??= splitterFor(text.subarray(0, headBytes).toString())
    yield splitter.push(text).map(piece => entryOf(name, piece, seen))
    advance(chunk.length)
  }
  yield (splitter?.end() ?? []).map(piece => entryOf(name, piece, seen))
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
/** The beginning of a file that shows its form. */
const headBytes = 4096

/** The chunks of a stream. The first one has its head: a pipe may give it in pieces. */
async function* withHead(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of stream) {
    if (head === undefined) yield chunk
    else {
      head = Buffer.concat([head, chunk])
      if (head.length < headBytes) continue
      yield head
      head = undefined
    }
  }
  if (head !== undefined) yield head
}

/** Chooses the splitter by the beginning of the file. */
function splitterFor(head: string): Splitter {
  if (/^\s*\[/.test(head)) return nestedSplitter(1)
  if (/^\s*\{\s*"data"\s*:\s*\{/.test(head)) return nestedSplitter(3)
  if (/^\s*\{\s*\r?\n/.test(head)) return nestedSplitter(0)
  return lineSplitter()
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function entryOf(name: string, piece: Piece, seen: Seen): Entry {
  const place = `${name}:${piece.line}`
  if ('problem' in piece) return { place, given: undefined, record: undefined, faults: [piece.problem] }
  const parsed = parse(piece.bytes)
  if ('fault' in parsed)
    return { place, given: { text: piece.bytes.toString() }, record: undefined, faults: [parsed.fault] }
  const given = refusedRecordIn(parsed.value) ?? parsed.value
  const notes: Notes = { ...seen, faults: [] }
  const record = readRecord(given, piece.bytes.length, notes)
  return { place, given, record, faults: notes.faults }
}

/** The record in a line of a file of refused records, which is sent again when it is mended. */
const refusedRecordIn = (value: unknown) =>
  isJsonObject(value) && 'place' in value && 'fault' in value ? value.record : undefined

function parse(bytes: Buffer): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(utf8.decode(bytes)) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) return { fault: 'the text is not UTF-8' }
    return { fault: `the text is not JSON (${error.message.replace(/\n[\s\S]*/, '')})` }
  }
}
