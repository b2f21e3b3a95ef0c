import type { ProviderState } from '../../lib/domain/provider.ts'
import { noUsers, type Users, without } from './users.ts'

/** How a user is linked to the provider: by its id, by its SSO provider's id, or by both. */
export type Way = 'both' | 'saml' | 'sso'

/** What all processes share: the table, and facts for the proof. One bit for each user's link, membership or mark. */
export interface State {
  provider: ProviderState
  /** The `member_count` of the provider. */
  count: number
  saml: Users
  sso: Users
  elsewhere: Users
  erased: Users
  memberships: Users
  /** The provider's `retained_until`: a number for each value; 0 when it is absent or malformed. */
  until: number
  /** The `expires_at` of a removed provider: one of the values of `until`, or 0. */
  expires: number
  /** Memberships whose `expires_at` equals `until`. */
  marked: Users
  /** Memberships with another `expires_at`. */
  stale: Users
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

export interface InFlight extends Record<Way, Users> {
  begin: boolean
  mend: boolean
  mark: Users
  /** Marks with an older value of `until`. */
  staleMark: Users
  finish: boolean
}

export const nothingInFlight: InFlight = {
  begin: false,
  mend: false,
  both: noUsers,
  saml: noUsers,
  sso: noUsers,
  mark: noUsers,
  staleMark: noUsers,
  finish: false,
}

export type Process = Deleter | Writer

export interface Writer {
  kind: 'linker' | 'mover' | 'eraser' | 'rule breaker' | 'TTL'
  done: boolean
}

export type Stage =
  | 'finding'
  | 'beginning'
  | 'mending'
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
  /** The `retained_until` that this attempt has read. */
  until: number
  /** The removal was finished before this attempt, which only lists and reports. */
  replays: boolean
  list: Users
  /** All users up to the last one listed. */
  cursor: Users
  /** The listing began when a Query showed all commits before the removal. */
  settled: boolean
  /** The listed users without a mark. */
  pending: Users
  unlinked: Users
  marked: Users
  /** For each user, how a refused update showed the user as linked. */
  shownWays: readonly (Way | undefined)[]
  /** The users who were erased when the list was received. */
  erasedAtAnswer: Users
}

export const noneShown: Deleter['shownWays'] = [undefined, undefined, undefined]
export const client = (attemptsLeft: number, isScheduled = false): Deleter => ({
  kind: 'deleter',
  isScheduled,
  at: 'idle',
  attemptsLeft,
  until: 0,
  replays: false,
  list: noUsers,
  cursor: noUsers,
  settled: false,
  pending: noUsers,
  unlinked: noUsers,
  marked: noUsers,
  shownWays: noneShown,
  erasedAtAnswer: noUsers,
})

export const isOver = ({ at }: Deleter) =>
  at === 'received the list' || at === 'received 404' || at === 'gave up'

export const linked = ({ saml, sso }: State): Users => saml | sso
export const linkedBy = ({ saml, sso }: State, way: Way): Users =>
  way === 'both' ? saml & sso : way === 'saml' ? without(saml, sso) : without(sso, saml)

/** A new `retained_until`, which makes all marks stale. */
export const withNewUntil = ({ until, marked, stale, inFlight }: State): Partial<State> => ({
  until: until + 1,
  marked: noUsers,
  stale: stale | marked,
  inFlight: { ...inFlight, mark: noUsers, staleMark: inFlight.staleMark | inFlight.mark },
})

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
