import type { Item } from '../../../lib/store/items.ts'
import type { Key } from '../../../lib/store/keys.ts'
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
  /** The item of the subject that is wrong; default: `item`. */
  at?: keyof Items
  /** What is wrong with the item, with its values; else nothing. */
  problem(subject: Subject): string | false | undefined
  by?(subject: Subject): Repair
  /** Whether the repair must be done after all others, because it uses or deletes what they depend on. */
  isLast?: true
}

/** An item that breaks a rule. */
export interface Fault {
  rule: Pick<Rule<never>, 'wrong' | 'mends' | 'why' | 'isLast'>
  /** The key of the item. */
  place: string
  problem: string
  /** undefined when a person has to decide. */
  repair: Repair | undefined
}

/** One transaction, or the removal to finish with the service's code. */
export type Repair = Action[] | { finishRemovalOf: number }

/** The items of a subject. */
type Items = { [Name in 'item' | 'user' | 'membership']?: Item | Key | undefined }

/** The faults of a subject, in the order of the rules. */
export const faultsOf = <Subject extends Items>(rules: readonly Rule<Subject>[], subject: Subject): Fault[] =>
  rules.flatMap(rule => {
    const problem = rule.problem(subject)
    if (!problem) return []
    const place = placeOf((subject as Items)[rule.at ?? 'item'] ?? {})
    return { rule, place, problem, repair: rule.by?.(subject) }
  })
