import type { ShowPhase } from '../display.ts'

/** What became of a record. `differs`: the table has it with other values in these fields, and it was not changed. */
export type Outcome =
  | { is: 'written' | 'there' }
  | { is: 'updated' | 'differs'; fields: string[] }
  | { is: 'refused'; reason: string }

export const written: Outcome = { is: 'written' }
export const there: Outcome = { is: 'there' }
export const refused = (reason: string): Outcome => ({ is: 'refused', reason })

/** The number of records that were read, and of those with each outcome. */
export type Counts = Record<'read' | Outcome['is'], number>

/** A record whose outcome is known. */
export interface Told {
  place: string
  outcome: Outcome
  /** The record as it was read; undefined when nobody asked for it. */
  given: unknown
}

/** Receives the results of an import. */
export interface Report {
  tell(record: Told): void
  phase: ShowPhase
}

/** The numbers of records per outcome. */
export interface Tally {
  providers: Counts
  users: Counts
  unreadable: Counts
  /** The users of each provider; those of none are left out. */
  usersOf: Map<number, Counts>
}

/** Counts the outcomes of records, and tells them. */
export type Ledger = ReturnType<typeof ledger>

export function ledger(tell: Report['tell']) {
  const tally: Tally = {
    providers: newCounts(),
    users: newCounts(),
    unreadable: newCounts(),
    usersOf: new Map(),
  }
  const usersOf = (id: number): Counts => {
    const counts = tally.usersOf.get(id) ?? newCounts()
    tally.usersOf.set(id, counts)
    return counts
  }
  return {
    tally,
    usersOf,
    /** Counts a record of a kind, and of the providers that its links name. */
    note(kind: 'providers' | 'users' | 'unreadable', record: Told, providerIds: readonly number[] = []) {
      for (const counts of [tally[kind], ...providerIds.map(usersOf)]) counts[record.outcome.is] += 1
      tell(record)
    },
  }
}

const newCounts = (): Counts => ({ read: 0, written: 0, there: 0, updated: 0, differs: 0, refused: 0 })

/** The records that are not in the table as they were read. */
export const leftIn = ({ providers, users, unreadable }: Tally): number =>
  [providers, users, unreadable].reduce((sum, counts) => sum + counts.differs + counts.refused, 0)
