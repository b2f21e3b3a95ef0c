import type { Item } from '../../../lib/store/items.ts'
import type { Key } from '../../../lib/store/keys.ts'
import type { Action } from '../../../lib/store/transact.ts'

/** Something in the table that breaks its rules. */
export interface Fault {
  /** The key of the item. */
  place: string
  problem: string
  /** The one change that makes it right; undefined where a person has to decide. */
  repair?: Repair
}

export interface Repair {
  /** What it does, as a sentence. */
  change: string
  /** One transaction, or the service's own code, which finishes the provider's removal. */
  by: { actions: Action[] } | { finishRemovalOf: number }
  /** Whether all others come before it: it needs, or it deletes, what they go by. */
  isLast?: true
}

export const placeOf = ({ PK, SK }: Item | Key) => `${PK} ${SK}`

/** A fault that one transaction mends. */
export const mendable = (at: Item | Key, problem: string, change: string, actions: Action[]): Fault => ({
  place: placeOf(at),
  problem,
  repair: { change, by: { actions } },
})
