import { client, type State, type Way, type Writer } from './state.ts'
import { everybody, nobody, type Users } from './users.ts'

/** What a run starts from. */
export interface Scene {
  /** How A, B, C are linked to the provider. */
  users: (Way | 'not')[]
  /** How often each client tries. */
  tries: number[]
  writers?: Writer['kind'][]
  /** By how much the provider's count of members is wrong. */
  drift?: number
}

export function begun({ users, tries, writers = [], drift = 0 }: Scene): State {
  const those = (...ways: Way[]): Users =>
    users.reduce(
      (all, way, index) => (way !== 'not' && ways.includes(way) ? all | (1 << index) : all),
      nobody,
    )
  return {
    provider: 'active',
    count: users.filter(way => way !== 'not').length + drift,
    saml: those('both', 'saml'),
    sso: those('both', 'sso'),
    elsewhere: nobody,
    // Who does not take part might as well be erased.
    erased: everybody & (-1 << users.length),
    edges: those('both', 'saml', 'sso'),
    marked: nobody,
    unseen: nobody,
    lingering: nobody,
    adrift: { begin: false, both: nobody, saml: nobody, sso: nobody, mark: nobody, finish: false },
    linkedAtStart: undefined,
    moved: nobody,
    processes: [...tries.map(client), ...writers.map(kind => ({ kind, done: false }))],
  }
}
