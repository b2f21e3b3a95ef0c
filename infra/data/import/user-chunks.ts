import type { User } from '../../../lib/domain/resources.ts'
import { readEntries, type Source } from '../records/source.ts'
import type { Survey } from './survey.ts'

export interface UserRecord {
  place: string
  user: User
}

const chunkSize = 25

/**
 * The selected users of the input, 25 at a time.
 *
 * @param isMeant called once for every user that is not refused
 * @throws Error of one sentence, before the last users of a file, when the file has another number of records than before
 */
export async function* userChunks(
  { bad, sizes }: Survey,
  isMeant: (record: UserRecord) => boolean,
  advance: (bytes: number) => void,
): AsyncGenerator<UserRecord[]> {
  let chunk: UserRecord[] = []
  let number = 0
  for (const [source, size] of sizes) {
    const before = number
    for await (const entries of readEntries(source, advance))
      for (const { place, record } of entries) {
        const isBad = bad.has(number)
        number += 1
        if (isBad || record?.kind !== 'user' || !isMeant({ place, user: record.resource })) continue
        chunk.push({ place, user: record.resource })
        if (chunk.length < chunkSize) continue
        yield chunk
        chunk = []
      }
    if (number - before !== size) throw changed(source, size, number - before)
  }
  if (chunk.length > 0) yield chunk
}

const changed = ({ name }: Source, first: number, now: number) =>
  new Error(
    `${name} had ${first} records when it was checked, and has ${now} now: run the same command again, with a file that does not change.`,
  )
