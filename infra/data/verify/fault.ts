import type { Item } from '../../../lib/store/items.ts'
import type { Data } from '../open-data.ts'
import { placeOf } from '../table/conditions.ts'
import type { Action } from '../table/transact.ts'

/** A rule of the table: how to find what breaks it, and what mends that. */
export interface Rule<Subject> {
  /** What is wrong. */
  wrong: string
  /** What the repair does; undefined when a person has to decide. */
  mends?: string
  /** Why this repair is the only right one, or why there is none. */
  why: string
  /** What is wrong with the item, with its values; else nothing. */
  problem(subject: Subject): string | false | undefined
  /** The transaction of the repair; each of its actions has a condition. */
  by?(subject: Subject): Action[]
}

/** An item that breaks a rule. */
export interface Fault {
  rule: Pick<Rule<never>, 'wrong' | 'mends' | 'why'>
  /** The key of the item. */
  place: string
  problem: string
  /** undefined when a person has to decide. */
  repair: Action[] | undefined
}

/** The faults of a subject, in the order of the rules. */
export const faultsOf = <Subject extends { item: Item }>(
  rules: readonly Rule<Subject>[],
  subject: Subject,
): Fault[] =>
  rules.flatMap(rule => {
    const problem = rule.problem(subject)
    return problem ? { rule, place: placeOf(subject.item), problem, repair: rule.by?.(subject) } : []
  })

/** Makes a repair, if what it depends on is as it was read. @returns undefined when it is made; else why not */
export async function repair(
  { transact }: Pick<Data, 'transact'>,
  actions: readonly Action[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const refusal = await transact(actions, signal)
  if (refusal === undefined || refusal.invalid !== undefined) return refusal?.invalid
  const writes: { Key?: Item | undefined; Item?: Item | undefined }[] = actions.flatMap(action =>
    Object.values(action),
  )
  const places = writes.map(({ Key, Item }) => placeOf({ ...Key, ...Item }))
  return `an item has changed since it was read (${places.join(', ')}): run verify --repair again`
}
