import { client, nothingAdrift, type State, type Way, type Writer } from './state.ts'
import { everybody, nobody, type Users } from './users.ts'

/** What a run starts from. */
export interface Scene {
  /** How A, B, C are linked to the provider; who is unlinked has an edge all the same. */
  users: (Way | 'not' | 'unlinked')[]
  /** How often each client tries. */
  tries: number[]
  /** How often the scheduled function runs. */
  runs?: number
  writers?: Writer['kind'][]
  /** By how much the provider's count of members is wrong. */
  drift?: number
  /** What the table holds of a removal: of an older one of a provider that is active again; or of one under way, whose `retained_until` cannot be right. */
  holds?: 'an older removal' | 'a garbled removal'
  /** Whose edges have an expiry: the older removal's, or any. */
  expiring?: Users
}

export function begun({
  users,
  tries,
  runs = 0,
  writers = [],
  drift = 0,
  holds,
  expiring = nobody,
}: Scene): State {
  const those = (...ways: Scene['users']): Users =>
    users.reduce((all, way, index) => (ways.includes(way) ? all | (1 << index) : all), nobody)
  const edges = those('both', 'saml', 'sso', 'unlinked')
  const isUnderWay = holds === 'a garbled removal'
  return {
    provider: isUnderWay ? 'removing' : 'active',
    count: users.filter(way => way !== 'not').length + drift,
    saml: those('both', 'saml'),
    sso: those('both', 'sso'),
    elsewhere: nobody,
    // Who does not take part might as well be erased.
    erased: everybody & (-1 << users.length),
    edges,
    until: holds === 'an older removal' ? 1 : 0,
    expires: 0,
    marked: holds === 'an older removal' ? expiring : nobody,
    stale: holds === 'an older removal' ? nobody : expiring,
    unseen: nobody,
    lingering: nobody,
    adrift: nothingAdrift,
    linkedAtStart: isUnderWay ? edges : undefined,
    moved: nobody,
    processes: [
      ...tries.map(count => client(count)),
      ...(runs > 0 ? [client(runs, true)] : []),
      ...writers.map(kind => ({ kind, done: false })),
    ],
  }
}
