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

/** The numbers of records per outcome; `usersOf`: of the users whose links name a provider, by its id. */
export type Tally = ReturnType<typeof ledger>['counts']

/** Counts the outcomes of records, and tells them. */
export function ledger(tell: Report['tell']) {
  const none = (): Counts => ({ read: 0, written: 0, there: 0, updated: 0, differs: 0, refused: 0 })
  const usersOf = new Map<number, Counts>()
  const counts = { providers: none(), users: none(), unreadable: none(), usersOf }
  return {
    counts,
    /** @param providerIds those that the links of a user name */
    note(kind: 'providers' | 'users' | 'unreadable', record: Told, providerIds: Iterable<number> = []) {
      const all = [counts[kind]]
      for (const id of providerIds) {
        const ofProvider = usersOf.get(id) ?? none()
        usersOf.set(id, ofProvider)
        all.push(ofProvider)
      }
      for (const one of all) {
        one.read += 1
        one[record.outcome.is] += 1
      }
      tell(record)
    },
  }
}

/** The records that are not in the table as they were read. */
export const leftIn = ({ providers, users, unreadable }: Tally): number =>
  [providers, users, unreadable].reduce((sum, { differs, refused }) => sum + differs + refused, 0)
