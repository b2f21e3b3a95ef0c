import { flagsOf, usersOf } from './crash.ts'
import type { Process, State } from './state.ts'

const stages = [
  'idle',
  'finding',
  'beginning',
  'mending',
  'listing',
  'unlinking',
  'finishing',
  'finishing, having read',
  'reporting',
  'received the list',
  'received 404',
  'gave up',
] as const
const providerStates = ['active', 'removing', 'removed'] as const
const writers = ['linker', 'mover', 'eraser', 'rule breaker', 'TTL'] as const
const yes = (flag: boolean) => (flag ? 1 : 0)

/** What the processes share, as a short text; different states have different texts. */
const sharedKey = (state: State): string => {
  const inFlight = usersOf(state.inFlight)
  return String.fromCharCode(
    providerStates.indexOf(state.provider) * 8 + state.count,
    state.saml * 8 + state.sso,
    state.elsewhere * 8 + state.erased,
    state.memberships * 64 + state.marked * 8 + state.stale,
    state.notYetShown * 8 + state.stillShown,
    state.until * 8 + state.expires,
    (state.strangers * 4 + state.listed) * 2 + yes(state.isExpiring),
    inFlight >> 6,
    (inFlight & 63) * 8 + flagsOf(state.inFlight),
    (state.linkedAtStart ?? 8) * 8 + state.moved,
  )
}

/** A state as a text, independent of the order of its processes: two clients are interchangeable. */
export const keyOf = (state: State) => sharedKey(state) + state.processes.map(processKey).sort().join('|')

function processKey(process: Process): string {
  if (process.kind !== 'deleter') return `${writers.indexOf(process.kind)}${yes(process.done)}`
  const {
    at,
    isScheduled,
    attemptsLeft,
    until,
    replays,
    list,
    cursor,
    settled,
    pending,
    unlinked,
    marked,
    shownWays,
    erasedAtAnswer,
  } = process
  const known = String.fromCharCode(
    yes(isScheduled) * 256 + stages.indexOf(at) * 16 + attemptsLeft * 4 + yes(replays) * 2 + yes(settled),
    list * 8 + cursor,
    pending * 8 + unlinked,
    (marked * 8 + erasedAtAnswer) * 8 + until,
  )
  return `${known}${shownWays.map(way => way?.[1]).join()}`
}
