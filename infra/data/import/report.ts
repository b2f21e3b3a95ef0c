/** The ids of the providers that a user joins, those that the user leaves, and those to which a link was left out. */
export interface Moves {
  join: readonly number[]
  leave: readonly number[]
  leftOut: readonly number[]
}

/**
 * What became of a record. `differs`: the table has it with other values in these fields, and it was not changed; `leftOut`:
 * of a provider that was removed here.
 */
export type Outcome = { moves?: Moves } & (
  | { is: 'written' | 'there' | 'leftOut' }
  | { is: 'updated' | 'differs'; fields: string[] }
  | { is: 'refused'; reason: string }
)

export const refused = (reason: string): Outcome => ({ is: 'refused', reason })

/** The number of records that were read, and of those with each outcome. */
export type Counts = Record<'read' | Outcome['is'], number>

/** A record whose outcome is known. */
export interface Told {
  place: string
  /** As far as it can be read. */
  id: unknown
  outcome: Outcome
  /** The line as it was read; undefined when nobody asked for it. */
  text: string | undefined
}

/** Receives the results of an import. */
export interface Report {
  tell(record: Told): void
}

/** The numbers of records per outcome; `usersOf`: of the users who join a provider, leave it or were not linked to it, by its id. */
export type Tally = ReturnType<typeof ledger>['counts']

export type Note = ReturnType<typeof ledger>['note']

/** Counts the outcomes of records, and tells them. */
export function ledger(tell: Report['tell']) {
  const none = (): Counts => ({
    read: 0,
    written: 0,
    there: 0,
    updated: 0,
    differs: 0,
    leftOut: 0,
    refused: 0,
  })
  const usersOf = new Map<number, Record<keyof Moves, number>>()
  const counts = { providers: none(), users: none(), unreadable: none(), usersOf }
  return {
    counts,
    note(kind: 'providers' | 'users' | 'unreadable', record: Told) {
      const { is, moves = {} } = record.outcome
      counts[kind].read += 1
      counts[kind][is] += 1
      for (const [name, ids] of Object.entries(moves))
        for (const id of ids as number[]) {
          const ofProvider = usersOf.get(id) ?? { join: 0, leave: 0, leftOut: 0 }
          ofProvider[name as keyof Moves] += 1
          usersOf.set(id, ofProvider)
        }
      tell(record)
    },
  }
}

/** The records that are not in the table as they were read. */
export const leftIn = ({ providers, users, unreadable }: Tally): number =>
  [providers, users, unreadable].reduce((sum, { differs, refused }) => sum + differs + refused, 0)

/** A line of JSON about a record that is not in the table as it was read, or will be changed; undefined for others. */
export function lineOf({ place, id, outcome, text: record }: Told, isTrial: boolean): string | undefined {
  const reason = reasonOf(outcome, isTrial)
  return reason === undefined ? undefined : JSON.stringify({ place, id, reason, record })
}

function reasonOf(outcome: Outcome, isTrial: boolean): string | undefined {
  if (outcome.is === 'refused') return outcome.reason
  if (outcome.is === 'differs')
    return `the table has other values, which --update changes: ${outcome.fields.join(', ')}`
  return outcome.is === 'updated' && isTrial ? `--update changes ${outcome.fields.join(', ')}` : undefined
}

/** The counts, for people. */
export function sentencesOf({ providers, users, unreadable, usersOf }: Tally, isTrial: boolean): string[] {
  const words: Record<string, string> = {
    ...(isTrial && { written: 'to be written', updated: 'to be updated' }),
    ...{ there: 'there already', differs: 'differing', leftOut: 'left out, because they were removed here' },
  }
  const sentence = (title: string, counts: Counts) => {
    const counted = Object.entries(counts).filter(([name, count]) => name === 'read' || count > 0)
    return `${title}: ${counted.map(([name, count]) => `${count} ${words[name] ?? name}`).join(', ')}`
  }
  return [
    sentence('providers', providers),
    sentence('users', users),
    ...[...usersOf]
      .sort(([one], [other]) => one - other)
      .map(([id, { join, leave, leftOut }]) => {
        const links = leftOut === 0 ? '' : `, ${leftOut} links to it are left out: it is not in use here`
        return `  provider ${id}: ${join} users join, ${leave} leave${links}`
      }),
    ...(unreadable.read > 0 ? [`unreadable: ${unreadable.read} records`] : []),
  ]
}
