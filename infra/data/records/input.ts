import { closeSync, createReadStream, createWriteStream, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { providerItem, userItem } from '../table/items.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Line, readLines } from './lines.ts'
import type { Notes } from './read.ts'
import { isLikeProvider, readRecord } from './record.ts'
import type { Source } from './source.ts'

/** A line of the input. */
interface Entry {
  /** Such as `users.ndjson:12`. */
  place: string
  /** The line as it was read; empty when it is too long to keep, or not UTF-8. */
  text: string
  /** As far as it can be read: that of a provider is a number, that of a user a UUID. */
  id: unknown
}

/** A line with a record that can be stored. */
export interface InputRecord extends Entry {
  kind: 'provider' | 'user'
  /** As it will be stored. */
  item: Item
  /** The fields that the record does not mention. */
  unmentioned: string[]
}

/** A line without one. */
export interface FaultyEntry extends Entry {
  faults: string[]
}

/** Records that can be read again and again. */
export type Input = Awaited<ReturnType<typeof openInput>>

/**
 * Opens sources together. What can be read only once is copied to a file without a name, which the system deletes at the end.
 *
 * @throws Error of the file system; the signal's reason
 */
export async function openInput(sources: readonly Source[], signal: AbortSignal) {
  const copies: number[] = []
  const lasting: Source[] = []
  for (const source of sources) {
    if (!source.isLasting) copies.push(await copyOf(source, signal))
    const fd = copies.at(-1) as number
    const open = () => createReadStream('', { fd, start: 0, autoClose: false })
    lasting.push(source.isLasting ? source : { ...source, open })
  }
  const unknown = new Set<string>()

  /**
   * Reads all lines, some at a time.
   *
   * @throws Error of one sentence when a source cannot be read to its end, or has no record; the signal's reason
   */
  async function* entries(): AsyncGenerator<(InputRecord | FaultyEntry)[]> {
    for (const { name, open } of lasting) {
      let isEmpty = true
      for await (const lines of readLines(addAbortSignal(signal, open()))) {
        isEmpty &&= lines.length === 0
        yield lines.map(line => entryOf(line, name, unknown))
      }
      // A command that failed may have written it.
      if (isEmpty) throw new Error(`There is no record in ${name}.`)
    }
  }

  async function* usersIn(isWanted: (user: InputRecord) => boolean) {
    for await (const some of entries())
      yield some.filter((entry): entry is InputRecord => isUser(entry) && isWanted(entry))
  }

  return {
    entries,
    /** Fields that no provider or user has, of the records that were read. */
    unknown,
    /** Reads the users that are wanted, so many at a time. */
    users: (size: number, isWanted: (user: InputRecord) => boolean = () => true) =>
      inBatches(usersIn(isWanted), size),
    [Symbol.dispose]: () => copies.forEach(fd => void closeSync(fd)),
  }
}

const isUser = (entry: InputRecord | FaultyEntry): entry is InputRecord =>
  'kind' in entry && entry.kind === 'user'

async function* inBatches<T>(lists: AsyncIterable<T[]>, size: number): AsyncGenerator<T[]> {
  let some: T[] = []
  for await (const list of lists) {
    some = some.concat(list)
    while (some.length >= size) yield some.splice(0, size)
  }
  if (some.length > 0) yield some
}

/** @returns the descriptor of a file without a name */
async function copyOf(source: Source, signal: AbortSignal): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  const fd = openSync(join(folder, 'input'), 'wx+', 0o600)
  rmSync(folder, { recursive: true })
  await pipeline(source.open(), createWriteStream('', { fd, autoClose: false }), { signal })
  return fd
}

function entryOf(line: Line, source: string, unknown: Set<string>): InputRecord | FaultyEntry {
  const { number, text } = line
  const entry = { place: `${source}:${number}`, text, id: undefined }
  if ('fault' in line) return { ...entry, faults: [line.fault] }
  const { value } = line
  const notes: Notes = { faults: [], unknown }
  const record = readRecord(value, text.length, notes)
  if (record === undefined) return { ...entry, id: idIn(value), faults: notes.faults }
  const { kind, resource } = record
  const shape = kind === 'user' ? userShape : samlProviderShape
  const unmentioned = Object.keys(shape).filter(name => !Object.hasOwn(value as object, name))
  const item = kind === 'user' ? userItem(resource) : providerItem(resource, 0)
  return { ...entry, kind, id: resource.id, item, unmentioned }
}

/** The id in a value that is no record. Another text or number may be a person's address, and stays out of logs. */
function idIn(value: unknown): unknown {
  if (!isJsonObject(value)) return undefined
  const { id } = value
  const isId = typeof id === 'number' ? isLikeProvider(value) : isUserId(String(id).toLowerCase())
  return isId ? id : undefined
}
