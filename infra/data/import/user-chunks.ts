import type { User } from '../../../lib/domain/resources.ts'
import { readEntries, type Source } from '../records/source.ts'

export interface UserRecord {
  place: string
  user: User
}

const chunkSize = 25

/**
 * The selected users of the input, 25 at a time.
 *
 * @param bad the numbers of refused records, ascending
 * @param isMeant called once for every other user
 */
export async function* userChunks(
  sources: readonly Source[],
  bad: ReadonlySet<number>,
  isMeant: (record: UserRecord) => boolean,
  advance: (bytes: number) => void,
): AsyncGenerator<UserRecord[]> {
  let chunk: UserRecord[] = []
  let number = 0
  for (const source of sources)
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
  if (chunk.length > 0) yield chunk
}
