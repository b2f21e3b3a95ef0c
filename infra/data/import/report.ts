import type { Progress } from '../display.ts'
import type { Seen, Source } from '../records/source.ts'

/** How many records went in, were there already, and did not go in. */
export interface Counts {
  written: number
  there: number
  refused: number
}

/** What became of a record: it went in, was there already, or did not go in and why. */
export type Outcome = 'written' | 'there' | { fault: string }

export type Kind = 'providers' | 'users' | 'others'

/** Whom an import tells what it does. */
export interface Report {
  /** Why a record does not go in, and where it stands. */
  refuse(place: string, fault: string): void
  seenOf(source: Source): Seen
  /** @param total bytes */
  phase(label: string, total: number): Progress
}

export const refusedIn = (counts: Record<Kind, Counts>): number =>
  Object.values(counts).reduce((sum, { refused }) => sum + refused, 0)

export type Note = (kind: Kind, place: string, outcome: Outcome) => void

/** Counts what became of the records, and tells of those that do not go in. */
export function ledger(report: Report) {
  const newCounts = (): Counts => ({ written: 0, there: 0, refused: 0 })
  const counts: Record<Kind, Counts> = { providers: newCounts(), users: newCounts(), others: newCounts() }
  const note: Note = (kind, place, outcome) => {
    if (typeof outcome === 'string') counts[kind][outcome] += 1
    else {
      counts[kind].refused += 1
      report.refuse(place, outcome.fault)
    }
  }
  return { counts, note }
}
