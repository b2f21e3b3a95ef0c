import { client, nothingInFlight, type State, type Writer } from './state.ts'
import { type Result, search } from './search.ts'
import type { Rules } from './rules.ts'
import { allUsers, noUsers, type Users } from './users.ts'

/** The initial state of a run, and its processes. */
interface Scenario {
  /** Whether A, B and C are linked to the provider; those who are not named do not take part. */
  users: ('linked' | 'not')[]
  /** The number of attempts of each client. */
  attempts: number[]
  /** The number of runs of the scheduled function. */
  runs?: number
  writers?: Writer['kind'][]
  /** The error of `member_count`. */
  drift?: number
}

function initialState({ users, attempts, runs = 0, writers = [], drift = 0 }: Scenario): State {
  const linked = users.reduce<Users>(
    (all, is, index) => (is === 'linked' ? all | (1 << index) : all),
    noUsers,
  )
  return {
    provider: 'active',
    count: users.filter(is => is === 'linked').length + drift,
    linked,
    elsewhere: noUsers,
    // The users that do not take part count as erased.
    erased: allUsers & (-1 << users.length),
    memberships: linked,
    marked: noUsers,
    notYetShown: noUsers,
    stillShown: noUsers,
    listed: 0,
    strangers: noUsers,
    isExpiring: false,
    inFlight: nothingInFlight,
    linkedAtStart: undefined,
    moved: noUsers,
    processes: [
      ...attempts.map(count => client(count)),
      ...(runs > 0 ? [client(runs, true)] : []),
      ...writers.map(kind => ({ kind, done: false })),
    ],
  }
}

/** A scenario, and how its processes work; without a mistake by default. */
export type Run = Scenario & Partial<Rules>

export const run = ({ pageSize = 3, late = [], mistake, ...scenario }: Run): Result =>
  search(initialState(scenario), { pageSize, late, mistake })

/** A violation with its shortest trace. */
export const described = ({ violation }: Result) =>
  violation && `${violation.invariant}, but:\n  ${violation.trace.join('\n  ')}`

export const two: Scenario['users'] = ['linked', 'linked']
export const three: Scenario['users'] = ['linked', 'linked', 'linked']
export const joining: Scenario['users'] = ['not', 'linked', 'linked']
