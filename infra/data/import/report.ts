/** A record, or a provider of the table. */
export interface Place {
  /** Such as `users.ndjson:12`; for a provider in the table its key. */
  place: string
  /** As far as it can be read. */
  id: unknown
  /** The line as it was read, which has people's data. */
  text?: string | undefined
}

/** Something that an import says about a record, or about a provider of the table. */
export interface Told extends Place {
  /** A fault keeps all records from being written; a record with a difference stays as it is in the table, or is updated. */
  kind: 'fault' | 'difference'
  reason: string
}

export type Tell = (told: Told) => void

/**
 * What becomes of a record. `differs`: the table has other values, and they stay; `leftOut`: the provider was removed here;
 * `failed`: it could not be written.
 */
export type Outcome = 'written' | 'updated' | 'there' | 'differs' | 'leftOut' | 'failed'

/** The providers that a user joins, those that the user leaves, and those to which a link is left out; by id. */
export type Moves = Record<'join' | 'leave' | 'leftOut', number[]>

const outcomes = { written: 0, updated: 0, there: 0, differs: 0, leftOut: 0, failed: 0 }

export type Report = ReturnType<typeof reportTo>

/** Says what an import finds, and counts what becomes of the records. */
export function reportTo(tell: Tell, { update, dryRun }: { update: boolean; dryRun: boolean }) {
  const counts = { providers: { ...outcomes }, users: { ...outcomes } }
  const movesOf = new Map<number, Record<keyof Moves, number>>()
  const reason = update ? '--update changes' : 'the table has other values, which --update changes:'
  const report = {
    counts,
    /** The number of users who move, by the id of the provider. */
    movesOf,
    faults: 0,
    fault({ place, id, text }: Place, reason: string) {
      report.faults += 1
      tell({ kind: 'fault', place, id, reason, text })
    },
    /** Tells the fields in which a record differs from the table; those that an update changes only in a dry run. */
    difference({ place, id, text }: Place, fields: readonly string[]) {
      if (update && !dryRun) return
      tell({ kind: 'difference', place, id, reason: `${reason} ${fields.join(', ')}`, text })
    },
    /** The number of records that are not in the table as they were read. */
    left: () =>
      [counts.providers, counts.users].reduce((sum, { differs, failed }) => sum + differs + failed, 0),
    note(kind: 'providers' | 'users', outcome: Outcome, moves?: Moves) {
      counts[kind][outcome] += 1
      for (const [name, ids] of Object.entries(moves ?? {}))
        for (const id of ids) {
          const ofProvider = movesOf.get(id) ?? { join: 0, leave: 0, leftOut: 0 }
          ofProvider[name as keyof Moves] += 1
          movesOf.set(id, ofProvider)
        }
    },
  }
  return report
}
