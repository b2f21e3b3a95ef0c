import type { ProviderState } from '../../lib/domain/provider.ts'
import { noUsers, type Users, without } from './users.ts'

/** What all processes share: the table, and facts for the proof. One bit for each user's link, membership or mark. */
export interface State {
  provider: ProviderState
  /** The `member_count` of the provider. */
  count: number
  /** The users who are linked to the provider. */
  linked: Users
  elsewhere: Users
  erased: Users
  memberships: Users
  /** Memberships with the `expires_at` of this removal. */
  marked: Users
  /** Committed memberships that a Query does not show yet. */
  notYetShown: Users
  /** Memberships whose deletion is committed, but that a Query still shows. */
  stillShown: Users
  /** The number of memberships that the finished removal has stored. */
  listed: number
  /** The users whom a writer has linked to the removed provider, against the rules. */
  strangers: Users
  /** Whether TTL has begun to delete the marked memberships. */
  isExpiring: boolean
  /** Calls of crashed attempts: each may still take effect, or never. */
  inFlight: InFlight
  /** For the proof: the users who were linked at the first write of the removal. */
  linkedAtStart: Users | undefined
  /** For the proof: the users who were linked elsewhere by any writer. */
  moved: Users
  processes: readonly Process[]
}

export interface InFlight {
  begin: boolean
  unlink: Users
  mark: Users
  /** One bit for each number that a call may store as that of the list. */
  finish: number
}

export const nothingInFlight: InFlight = { begin: false, unlink: noUsers, mark: noUsers, finish: 0 }

export type Process = Deleter | Writer

export interface Writer {
  kind: 'linker' | 'mover' | 'eraser' | 'rule breaker' | 'TTL'
  done: boolean
}

export type Stage =
  | 'finding'
  | 'beginning'
  | 'listing'
  | 'unlinking'
  | 'finishing'
  | 'finishing, having read'
  | 'reporting'

/** A client that sends the DELETE until it is answered or has no attempt left. A crash resets all but the attempts. */
export interface Deleter {
  kind: 'deleter'
  /** A run of the scheduled function: it continues a removal that has begun, and does not read the users. */
  isScheduled: boolean
  at: 'idle' | Stage | 'received the list' | 'received 404' | 'gave up'
  attemptsLeft: number
  /** The removal was finished before this attempt, which only lists and reports. */
  replays: boolean
  /** Whether the list is one page, which the attempt keeps. Else it is read again for the answer. */
  isWhole: boolean
  list: Users
  /** The users up to the position at which the round of pages began; it ends there. */
  start: Users
  /** The part of all keys that this round has read, and then that the answer has. */
  cursor: Users
  /** The number of members that the round has read. */
  counted: number
  /** The users without a mark on the page, or in the whole list. */
  pending: Users
  unlinked: Users
  marked: Users
  /** The users who were erased when their page of the answer was read. */
  erasedAtAnswer: Users
}

export const client = (attemptsLeft: number, isScheduled = false): Deleter => ({
  kind: 'deleter',
  isScheduled,
  at: 'idle',
  attemptsLeft,
  replays: false,
  isWhole: false,
  list: noUsers,
  start: noUsers,
  cursor: noUsers,
  counted: 0,
  pending: noUsers,
  unlinked: noUsers,
  marked: noUsers,
  erasedAtAnswer: noUsers,
})

export const isOver = ({ at }: Deleter) =>
  at === 'received the list' || at === 'received 404' || at === 'gave up'

/** What a strongly consistent Query shows. */
export const shown = ({ memberships, notYetShown, stillShown }: State): Users =>
  without(memberships, notYetShown) | stillShown

/** A possible next step: its description, and the state after it. */
export interface Step {
  says: string
  next: State
}

/** A step of a client: what the client knows then, and the change of the table. */
export type MakeStep = (says: string, mine: Partial<Deleter>, change?: Partial<State>) => Step

export function withProcess(state: State, index: number, process: Process, change?: Partial<State>): State {
  const processes = state.processes.slice()
  processes[index] = process
  return { ...state, ...change, processes }
}
