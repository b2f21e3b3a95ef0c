import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ShowPhase } from '../display.ts'
import { copyInto, openOnce } from './copy.ts'
import { type DataRecord, readRecord } from './record.ts'
import type { Dialect, Notes } from './read.ts'
import { lineSplitter } from './split-lines.ts'
import { nestedSplitter } from './split-nested.ts'
import type { Piece, Splitter } from './splitter.ts'

/** A file of records, which can be read more than once. */
export interface Source {
  name: string
  path: string
  bytes: number
}

/** A record or its faults, and its place, such as `users.ndjson:12`. */
export interface Entry {
  place: string
  record: DataRecord | undefined
  faults: string[]
}

/** Facts about a file besides its records. */
export interface Seen {
  dialects: Set<Dialect>
  /** Fields that no provider or user has. */
  unknown: Set<string>
}

/** Other names of standard input. */
const stdinNames = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']

/**
 * Opens the files. What can be read only once is copied to a temporary file: standard input (`-`), and what is no regular
 * file, such as a named pipe.
 *
 * @returns `close` deletes the temporary files
 * @throws Error of the file system, with its path; Error of one sentence when the disk is full; an error when the signal aborts
 */
export async function openSources(
  files: readonly string[],
  stdin: Readable,
  phase: ShowPhase,
  signal: AbortSignal,
) {
  let folder: string | undefined
  const close = () => {
    process.off('exit', close)
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  const copied = async (input: Readable, index: number) => {
    folder ??= mkdtempSync(join(tmpdir(), 'records-'))
    // For an error that ends the process at once; with one listener for all copies.
    process.off('exit', close).once('exit', close)
    const path = join(folder, String(index))
    await phase('copying', undefined, advance => copyInto(path, input, advance, signal))
    return path
  }
  try {
    const sources: Source[] = []
    for (const [index, file] of files.entries()) {
      const isStdin = stdinNames.includes(file)
      const stat = isStdin ? undefined : statSync(file)
      if (stat?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: file })
      const path = stat?.isFile() ? file : await copied(stat ? openOnce(file, stat) : stdin, index)
      sources.push({ name: isStdin ? 'standard input' : file, path, bytes: statSync(path).size })
    }
    return { sources, close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Reads the records of a file in order, several at a time.
 *
 * @param advance called with the number of bytes read
 */
export async function* readEntries(
  { name, path }: Source,
  advance: (bytes: number) => void,
  seen: Seen = { dialects: new Set(), unknown: new Set() },
): AsyncGenerator<Entry[]> {
  let splitter: Splitter | undefined
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    const isFirst = splitter === undefined
    const text = isFirst && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk
    splitter ??= splitterFor(text.subarray(0, 4096).toString())
    yield splitter.push(text).map(piece => entryOf(name, piece, seen))
    advance(chunk.length)
  }
  yield (splitter?.end() ?? []).map(piece => entryOf(name, piece, seen))
}

const chunkBytes = 64 * 1024
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

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
  if ('problem' in piece) return { place, record: undefined, faults: [piece.problem] }
  const parsed = parse(piece.bytes)
  if ('fault' in parsed) return { place, record: undefined, faults: [parsed.fault] }
  const notes: Notes = { ...seen, faults: [] }
  const record = readRecord(parsed.value, piece.bytes.length, notes)
  return { place, record, faults: notes.faults }
}

function parse(bytes: Buffer): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(utf8.decode(bytes)) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) return { fault: 'the text is not UTF-8' }
    return { fault: `the text is not JSON (${error.message.replace(/\n[\s\S]*/, '')})` }
  }
}
