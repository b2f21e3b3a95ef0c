import { createHash, type Hash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { decode } from '../../../lib/domain/fields.ts'
import { isJsonObject, type JsonObject } from '../../../lib/domain/json.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../../lib/domain/resources.ts'
import { userOf } from '../../../lib/store/items.ts'
import { providerItem, userItem } from '../table/encoding.ts'
import { inApiForm } from './in-api-form.ts'
import { faultsIn, type NoteUnknown } from './schemas.ts'

/** A line of a file with its place, such as `users.ndjson:12`. */
export type Line = { place: string } & Content

type Content =
  | { kind: 'provider'; resource: SamlProvider }
  | { kind: 'user'; resource: User }
  /** Why it is neither, and the id if it would be a provider. No reason quotes a value: it may be a person's. */
  | { kind: 'fault'; reasons: string[]; providerId?: unknown }

/** The longest line: an item of DynamoDB has at most 400 KB. */
const bytesMax = 400_000

/**
 * Reads the lines of files that are not empty, each as the service will show it.
 *
 * @returns the lines; and what tells files with these bytes, in any order, from others, once all lines are read
 * @throws Error of one sentence for what cannot be read twice. Reading throws the signal's reason, or for a compressed file
 */
export function readFiles(
  files: readonly string[],
  signal: AbortSignal,
  noteUnknown: NoteUnknown = () => {},
): { lines: AsyncGenerator<Line>; digest: () => string } {
  const other = files.find(file => !statSync(file).isFile())
  if (other !== undefined)
    throw new Error(`${other} is no regular file. It is read twice: write what comes from a pipe to a file.`)
  const hashes = files.map(() => createHash('sha256'))
  async function* lines(): AsyncGenerator<Line> {
    for (const [index, file] of files.entries()) yield* linesIn(file, hashes[index] as Hash)
  }
  async function* linesIn(file: string, hash: Hash): AsyncGenerator<Line> {
    let number = 0
    let isEmpty = true
    for await (const bytes of rawLinesOf(file, hash)) {
      signal.throwIfAborted()
      number += 1
      if (number === 1 && bytes[0] === 0x1f && bytes[1] === 0x8b)
        throw new Error(`${file} is compressed: write what gunzip makes of it to another file.`)
      if (bytes.toString().trim() === '') continue
      isEmpty = false
      yield { place: `${file}:${number}`, ...contentOf(bytes, noteUnknown) }
    }
    // As a command that has failed leaves it.
    if (isEmpty) yield { place: file, ...faulty('the file is empty') }
  }
  return { lines: lines(), digest: () => String(hashes.map(hash => hash.digest('hex')).sort()) }
}

/** The lines of a file. Node's readline would also end a line at U+2028, which JSON may have in a text. */
async function* rawLinesOf(file: string, hash: Hash): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(part)
    let start = 0
    for (let end = part.indexOf('\n'); end >= 0; end = part.indexOf('\n', start)) {
      yield Buffer.concat([rest, part.subarray(start, end)])
      rest = Buffer.alloc(0)
      start = end + 1
    }
    // Of a line that is too long, no more is kept than shows it.
    rest = Buffer.concat([rest, part.subarray(start)]).subarray(0, bytesMax + 1)
  }
  yield rest
}

function contentOf(bytes: Buffer, noteUnknown: NoteUnknown): Content {
  if (bytes.length > bytesMax) return faulty(`the line has more than ${bytesMax} bytes`)
  const given = parsed(bytes)
  if (given === undefined) return faulty('the line is no JSON object in UTF-8')
  if ('idp_issuer_uri' in given) {
    const provider = inApiForm(samlProviderShape, given)
    const faults = faultsIn('provider', provider, noteUnknown)
    if (faults.length > 0) return { ...faulty(...faults), providerId: provider.id }
    const item = providerItem(provider as unknown as SamlProvider, 0)
    return { kind: 'provider', resource: decode(samlProviderShape, item) }
  }
  if ('principal_name' in given) {
    const user = inApiForm(userShape, given)
    const faults = faultsIn('user', user, noteUnknown)
    if (faults.length > 0) return faulty(...faults)
    return { kind: 'user', resource: withLowerIds(userOf(userItem(user as unknown as User))) }
  }
  return faulty('it has neither the idp_issuer_uri of a provider nor the principal_name of a user')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parsed(bytes: Buffer): JsonObject | undefined {
  try {
    const given: unknown = JSON.parse(utf8.decode(bytes))
    return isJsonObject(given) ? given : undefined
  } catch {
    return undefined
  }
}

const withLowerIds = (user: User): User => ({
  ...user,
  id: user.id.toLowerCase(),
  environment_targeted_access_control: user.environment_targeted_access_control.map(access => ({
    ...access,
    user_id: access.user_id.toLowerCase(),
  })),
})

const faulty = (...reasons: string[]) => ({ kind: 'fault' as const, reasons })
