import type { FaultyEntry, Input, InputRecord } from '../records/input.ts'
import type { Terms } from './terms.ts'

/** What an import knows of its input before it compares users. */
export interface ReadRecords {
  providers: InputRecord[]
  /** The ids of providers, those of faulty records among them: links to these are no fault of their own. */
  mentioned: ReadonlySet<unknown>
  /** The number of users. */
  users: number
}

/** Reads all records, and tells their faults. */
export async function readRecords({ data, report }: Terms, input: Input): Promise<ReadRecords> {
  const places = new Map<unknown, string>()
  const mentioned = new Set<unknown>()
  const providers: InputRecord[] = []
  let users = 0
  const check = (entry: InputRecord | FaultyEntry) => {
    const { place, id } = entry
    if (typeof id === 'number') mentioned.add(id)
    if ('faults' in entry) return report.fault(entry, entry.faults.join('; '))
    const earlier = places.get(id)
    if (earlier !== undefined) return report.fault(entry, `the ${entry.kind} ${id} is already in ${earlier}`)
    // A copy: the id is a part of the text that was read, and would keep all of it in memory.
    places.set(typeof id === 'string' ? Buffer.from(id).toString() : id, place)
    if (entry.kind === 'provider') providers.push(entry)
    else users += 1
  }
  await data.phase('records read', undefined, async advance => {
    for await (const entries of input.entries()) {
      entries.forEach(check)
      advance(entries.length)
    }
  })
  return { providers, mentioned, users }
}
