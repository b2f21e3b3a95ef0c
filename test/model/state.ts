import type { ProviderState } from '../../lib/domain/provider.ts'
import { nobody, type Users, without } from './users.ts'

/** How a user is linked to the provider: by its own id, by its SSO provider's, by both. */
export type Way = 'both' | 'saml' | 'sso'

/** What all processes share: the table, and what only the proof knows of it. One user's link, edge, mark is one bit. */
export interface State {
  provider: ProviderState
  /** The `member_count` of the provider. */
  count: number
  saml: Users
  sso: Users
  elsewhere: Users
  erased: Users
  edges: Users
  /** The provider's `retained_until`, each value another number; 0 when it is absent or cannot be right. */
  until: number
  /** The `expires_at` of a removed provider: one of the values of `until`, or 0. */
  expires: number
  /** Edges whose expiry equals `until`. */
  marked: Users
  /** Edges with another expiry. */
  stale: Users
  /** Edges that are committed, but that a Query does not show yet. */
  unseen: Users
  /** Edges whose deletion is committed, but that a Query still shows. */
  lingering: Users
  /** Calls of tries that have crashed: each may still land, or never. */
  adrift: Adrift
  /** For the proof: who was linked at the first write of the removal. */
  linkedAtStart: Users | undefined
  /** For the proof: who was linked elsewhere, by whomever. */
  moved: Users
  processes: readonly Process[]
}

export interface Adrift extends Record<Way, Users> {
  begin: boolean
  mend: boolean
  mark: Users
  /** Marks by a value that is not `until` any more. */
  staleMark: Users
  finish: boolean
}

export const nothingAdrift: Adrift = {
  begin: false,
  mend: false,
  both: nobody,
  saml: nobody,
  sso: nobody,
  mark: nobody,
  staleMark: nobody,
  finish: false,
}

export type Process = Deleter | Writer

export interface Writer {
  kind: 'linker' | 'mover' | 'eraser'
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

/** A client that sends the DELETE until it is answered or has had enough; a try that crashes loses all but the tries. */
export interface Deleter {
  kind: 'deleter'
  /** A run of the scheduled function: it goes on with a removal that has begun, and reports to nobody. */
  isScheduled: boolean
  at: 'outside' | Stage | 'told the list' | 'told 404' | 'giving up'
  triesLeft: number
  /** The `retained_until` by which this try goes. */
  until: number
  /** The removal was finished before this try: it only lists and reports. */
  replays: boolean
  list: Users
  /** Everybody up to the last one listed. */
  cursor: Users
  /** The listing began when a Query showed all that was committed before the removal. */
  calm: boolean
  /** Listed without a mark. */
  pending: Users
  unlinked: Users
  marked: Users
  /** For each user, the way in which an update that was refused showed it. */
  shownWays: readonly (Way | undefined)[]
  /** Who was erased when the list was told. */
  erasedThen: Users
}

export const noneShown: Deleter['shownWays'] = [undefined, undefined, undefined]
export const client = (triesLeft: number, isScheduled = false): Deleter => ({
  kind: 'deleter',
  isScheduled,
  at: 'outside',
  triesLeft,
  until: 0,
  replays: false,
  list: nobody,
  cursor: nobody,
  calm: false,
  pending: nobody,
  unlinked: nobody,
  marked: nobody,
  shownWays: noneShown,
  erasedThen: nobody,
})

export const isOver = ({ at }: Deleter) => at === 'told the list' || at === 'told 404' || at === 'giving up'

export const linked = ({ saml, sso }: State): Users => saml | sso
export const linkedBy = ({ saml, sso }: State, way: Way): Users =>
  way === 'both' ? saml & sso : way === 'saml' ? without(saml, sso) : without(sso, saml)

/** Another `retained_until`: every mark so far goes by an older one. */
export const withNewUntil = ({ until, marked, stale, adrift }: State): Partial<State> => ({
  until: until + 1,
  marked: nobody,
  stale: stale | marked,
  adrift: { ...adrift, mark: nobody, staleMark: adrift.staleMark | adrift.mark },
})

/** What a strongly consistent Query shows. */
export const shown = ({ edges, unseen, lingering }: State): Users => without(edges, unseen) | lingering

/** Anything that can happen next, in plain words, and what it makes of the state. */
export interface Step {
  says: string
  next: State
}

/** A step of a client: what it then knows, and what it changed in the table. */
export type Does = (says: string, mine: Partial<Deleter>, change?: Partial<State>) => Step

export function withProcess(state: State, index: number, process: Process, change?: Partial<State>): State {
  const processes = state.processes.slice()
  processes[index] = process
  return { ...state, ...change, processes }
}
