import type { ShowPhase } from '../display.ts'

/** The number of records that were written, existed already, and were refused. */
export interface Counts {
  written: number
  there: number
  refused: number
}

/** The outcome of a record: written, existed already, or refused with a reason. */
export type Outcome = 'written' | 'there' | { fault: string }

export type Kind = 'providers' | 'users' | 'others'

/** Receives the results of an import. */
export interface Report {
  /** Reports the place of a refused record and the reason. */
  refuse(place: string, fault: string): void
  phase: ShowPhase
}

export const refusedIn = (counts: Record<Kind, Counts>): number =>
  Object.values(counts).reduce((sum, { refused }) => sum + refused, 0)

export type Note = (kind: Kind, place: string, outcome: Outcome) => void

/** Counts the outcomes of records, and reports the refused ones. */
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
