import { type Deleter, linked, type State } from './state.ts'
import { nobody, without } from './users.ts'

const told = ({ processes }: State) =>
  processes.filter(
    (process): process is Deleter => process.kind === 'deleter' && process.at === 'told the list',
  )

/** What a removal promises, whoever crashed, timed out or retried; each holds in every state. */
export const invariants = {
  'a list names exactly the users linked when the removal began': (state: State) =>
    told(state).every(
      ({ list, erasedThen }) =>
        state.linkedAtStart !== undefined && list === without(state.linkedAtStart, erasedThen),
    ),

  'once a list is told, nobody is linked to the provider': (state: State) =>
    linked(state) === nobody || told(state).length === 0,

  'all lists told are the same': (state: State) =>
    told(state).every((one, index, all) =>
      all.slice(index).every(other => {
        const erased = one.erasedThen | other.erasedThen
        return without(one.list, erased) === without(other.list, erased)
      }),
    ),

  'a link to another provider is never touched': ({ moved, erased, elsewhere }: State) =>
    without(moved, erased | elsewhere) === nobody,

  'once a list is told, its edges are kept exactly as long as its tombstone': (state: State) =>
    told(state).length === 0 ||
    (state.expires === state.until && without(state.edges, state.marked) === nobody),

  'nobody is told 404': ({ processes }: State) =>
    processes.every(process => process.kind !== 'deleter' || process.at !== 'told 404'),
}

/** The last promise is one about what can follow, not about a state: the search looks after it. */
export const neverStuck = 'a removal never sticks'
export type Invariant = keyof typeof invariants | typeof neverStuck

export const brokenIn = (state: State) =>
  (Object.keys(invariants) as (keyof typeof invariants)[]).find(name => !invariants[name](state))
