import { addAbortSignal } from 'node:stream'
import { isUserId } from '../../lib/domain/user-id.ts'
import { lineSplitter } from './records/lines.ts'
import { findSources } from './records/source.ts'

/** A longer line is not an id, and is not kept. */
const lineBytesMax = 100
const linesNamed = 10

/**
 * Reads the ids of users, one a line; empty lines do not count.
 *
 * @param file its path; `-` is standard input
 * @throws Error of one sentence that names the lines which are not ids; the signal's reason
 */
export async function readUserIds(file: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  const malformed: number[] = []
  let lines = 0
  const take = (line: Buffer) => {
    lines += 1
    const text = String(line).trim()
    if (isUserId(text) && line.length <= lineBytesMax) ids.add(text)
    else if (text !== '') malformed.push(lines)
  }

  const { push, rest } = lineSplitter(lineBytesMax)
  const sources = findSources([file])
  for (const { open } of sources)
    for await (const chunk of addAbortSignal(signal, open())) for (const line of push(chunk)) take(line)
  take(rest())
  if (malformed.length === 0) return ids
  const others = malformed.length > linesNamed ? ` and ${malformed.length - linesNamed} others` : ''
  throw new Error(
    `Nothing was erased, because a line of ${sources[0]?.name} is not a UUID in lower case: ${malformed.slice(0, linesNamed).join(', ')}${others}.`,
  )
}
