import type { Data } from '../open-data.ts'

/** Something that an import says about a record, a provider or the table: why it is not written, or what an update changes. */
export interface Told {
  /** Such as `users.ndjson:12`; for a provider in the table its key. */
  place: string
  /** As far as it can be read. */
  id: unknown
  reason: string
  /** The line as it was read, which has people's data. */
  text?: string | undefined
}

export type Tell = (told: Told) => void

/** The reason of a record that differs from the table in these fields. */
export const differenceOf = (fields: readonly string[], update: boolean): string =>
  `${update ? '--update changes' : 'the table has other values, which --update changes:'} ${fields.join(', ')}`

/**
 * What becomes of a record. `differs`: the table has other values, and they stay; `leftOut`: the provider was removed here;
 * `failed`: it could not be written.
 */
export type Outcome = 'written' | 'updated' | 'there' | 'differs' | 'leftOut' | 'failed'

/** The providers that a user joins, those that the user leaves, and those to which a link was left out; by id. */
export type Moves = Record<'join' | 'leave' | 'leftOut', number[]>

export type Tally = ReturnType<typeof tally>

const outcomes = { written: 0, updated: 0, there: 0, differs: 0, leftOut: 0, failed: 0 }

/** Counts records by their outcomes, and the users who move, by the id of the provider. */
export function tally() {
  const counts = { providers: { ...outcomes }, users: { ...outcomes } }
  const movesOf = new Map<number, Record<keyof Moves, number>>()
  return {
    counts,
    movesOf,
    note(kind: 'providers' | 'users', outcome: Outcome, moves?: Moves) {
      counts[kind][outcome] += 1
      for (const [name, ids] of Object.entries(moves ?? {}))
        for (const id of ids) {
          const ofProvider = movesOf.get(id) ?? { join: 0, leave: 0, leftOut: 0 }
          ofProvider[name as keyof Moves] += 1
          movesOf.set(id, ofProvider)
        }
    },
    /** Forgets what was expected of the writes: they are counted when they are made. */
    beginWriting() {
      for (const count of [counts.providers, counts.users]) Object.assign(count, { written: 0, updated: 0 })
      for (const ofProvider of movesOf.values()) Object.assign(ofProvider, { join: 0, leave: 0 })
    },
  }
}

/** What all parts of an import need. */
export interface Terms {
  data: Data
  /** Change users and providers in the table that differ from their records. */
  update: boolean
  /** The ids of providers to which users may lose their link. */
  unlink: readonly number[]
  /** Tells what is no fault: records that differ, or that an update changes. */
  tell: Tell
  tellFault: Tell
  tally: Tally
  signal: AbortSignal
}

/** The number of records that are not in the table as they were read. */
export const leftIn = ({ providers, users }: Tally['counts']): number =>
  [providers, users].reduce((sum, { differs, failed }) => sum + differs + failed, 0)

const words = {
  there: 'there already',
  differs: 'differing',
  leftOut: 'left out, because they were removed here',
}
const wordsOfPlan = { ...words, written: 'to be written', updated: 'to be updated' }

/** The counts, for people. */
export function sentencesOf({ counts, movesOf }: Tally, isPlan: boolean): string[] {
  const wordOf: Record<string, string> = isPlan ? wordsOfPlan : words
  const records = Object.entries(counts).map(([kind, byOutcome]) => {
    const counted = Object.entries(byOutcome).filter(([, count]) => count > 0)
    const all = counted.reduce((sum, [, count]) => sum + count, 0)
    return [`${kind}: ${all} read`, ...counted.map(([name, count]) => `${count} ${wordOf[name] ?? name}`)]
  })
  const moves = [...movesOf].sort(([one], [other]) => one - other)
  return [
    ...(isPlan ? ['Nothing was written.'] : []),
    ...records.map(parts => parts.join(', ')),
    ...moves.map(([id, { join, leave, leftOut }]) => {
      const links = leftOut === 0 ? '' : `, ${leftOut} links to it are left out`
      return `  provider ${id}: ${join} users join, ${leave} leave${links}`
    }),
  ]
}
