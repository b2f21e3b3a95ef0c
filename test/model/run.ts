import { client, nothingInFlight, type State, type Way, type Writer } from './state.ts'
import { type Result, search } from './search.ts'
import type { Rules } from './rules.ts'
import { allUsers, noUsers, type Users } from './users.ts'

/** The initial state of a run, and its processes. */
interface Scenario {
  /** How A, B and C are linked to the provider; an `unlinked` user has a membership, a `not` linked one has none. */
  users: (Way | 'not' | 'unlinked')[]
  /** The number of attempts of each client. */
  attempts: number[]
  /** The number of runs of the scheduled function. */
  runs?: number
  writers?: Writer['kind'][]
  /** The error of `member_count`. */
  drift?: number
  /** The removal attributes in the table: of an older removal of a provider that is active again, or of an unfinished
   * removal with a malformed `retained_until`. */
  holds?: 'an older removal' | 'a malformed removal'
  /** The users whose memberships have `expires_at`: that of the older removal, or any. */
  expiring?: Users
}

function initialState({
  users,
  attempts,
  runs = 0,
  writers = [],
  drift = 0,
  holds,
  expiring = noUsers,
}: Scenario): State {
  const those = (...ways: Scenario['users']): Users =>
    users.reduce((all, way, index) => (ways.includes(way) ? all | (1 << index) : all), noUsers)
  const memberships = those('both', 'saml', 'sso', 'unlinked')
  const isUnfinished = holds === 'a malformed removal'
  return {
    provider: isUnfinished ? 'removing' : 'active',
    count: users.filter(way => way !== 'not').length + drift,
    saml: those('both', 'saml'),
    sso: those('both', 'sso'),
    elsewhere: noUsers,
    // The users that do not take part count as erased.
    erased: allUsers & (-1 << users.length),
    memberships,
    until: holds === 'an older removal' ? 1 : 0,
    expires: 0,
    marked: holds === 'an older removal' ? expiring : noUsers,
    stale: holds === 'an older removal' ? noUsers : expiring,
    notYetShown: noUsers,
    stillShown: noUsers,
    listed: 0,
    strangers: noUsers,
    isExpiring: false,
    inFlight: nothingInFlight,
    linkedAtStart: isUnfinished ? memberships : undefined,
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

export const run = ({ pageSize = 1, twoWays = false, late = [], mistake, ...scenario }: Run): Result =>
  search(initialState(scenario), { pageSize, twoWays, late, mistake })

/** A violation with its shortest trace. */
export const described = ({ violation }: Result) =>
  violation && `${violation.invariant}, but:\n  ${violation.trace.join('\n  ')}`

export const two: Scenario['users'] = ['saml', 'saml']
export const three: Scenario['users'] = ['saml', 'saml', 'saml']
export const joining: Scenario['users'] = ['not', 'saml', 'saml']
export const oneNot: Scenario['users'] = ['saml', 'not']
