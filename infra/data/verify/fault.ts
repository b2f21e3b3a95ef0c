import type { Item } from '../../../lib/store/items.ts'
import type { Key } from '../../../lib/store/keys.ts'
import type { Action } from '../transact.ts'

/** An item that breaks the rules of the table. */
export interface Fault {
  /** The key of the item. */
  place: string
  problem: string
  /** The repair; undefined when a person has to decide. */
  repair?: Repair
}

export interface Repair {
  /** What the repair does, for messages. */
  change: string
  /** One transaction, or the removal to finish with the service's code. */
  by: { actions: Action[] } | { finishRemovalOf: number }
  /** Whether it must be done after all others, because it uses or deletes what they depend on. */
  isLast?: true
}

export const placeOf = ({ PK, SK }: Item | Key) => `${PK} ${SK}`

/** A fault with a repair: one transaction. */
export const repairable = (
  at: Item | Key,
  problem: string,
  change: string,
  actions: Action[],
  more: Pick<Repair, 'isLast'> = {},
): Fault => ({ place: placeOf(at), problem, repair: { change, by: { actions }, ...more } })
