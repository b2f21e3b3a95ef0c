import { flagsOf, usersOf } from './crash.ts'
import type { Process, State } from './state.ts'

const stages = [
  'outside',
  'finding',
  'beginning',
  'mending',
  'listing',
  'unlinking',
  'finishing',
  'finishing, having read',
  'reporting',
  'told the list',
  'told 404',
  'giving up',
] as const
const providerStates = ['active', 'removing', 'removed'] as const
const writers = ['linker', 'mover', 'eraser'] as const
const yes = (flag: boolean) => (flag ? 1 : 0)

/** What the processes share, as a short text that is the same for the same state alone. */
const sharedKey = (state: State): string => {
  const adrift = usersOf(state.adrift)
  return String.fromCharCode(
    providerStates.indexOf(state.provider) * 8 + state.count,
    state.saml * 8 + state.sso,
    state.elsewhere * 8 + state.erased,
    state.edges * 64 + state.marked * 8 + state.stale,
    state.unseen * 8 + state.lingering,
    state.until * 8 + state.expires,
    adrift >> 6,
    (adrift & 63) * 8 + flagsOf(state.adrift),
    (state.linkedAtStart ?? 8) * 8 + state.moved,
  )
}

/** A state as a text. Processes that are alike may change places: which of two clients is which makes no difference. */
export const keyOf = (state: State) => sharedKey(state) + state.processes.map(processKey).sort().join('|')

function processKey(process: Process): string {
  if (process.kind !== 'deleter') return `${writers.indexOf(process.kind)}${yes(process.done)}`
  const {
    at,
    isScheduled,
    triesLeft,
    until,
    replays,
    list,
    cursor,
    calm,
    pending,
    unlinked,
    marked,
    shownWays,
    erasedThen,
  } = process
  const known = String.fromCharCode(
    yes(isScheduled) * 256 + stages.indexOf(at) * 16 + triesLeft * 4 + yes(replays) * 2 + yes(calm),
    list * 8 + cursor,
    pending * 8 + unlinked,
    (marked * 8 + erasedThen) * 8 + until,
  )
  return `${known}${shownWays.map(way => way?.[1]).join()}`
}
