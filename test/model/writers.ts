import type { Rules } from './rules.ts'
import { linked, type State, type Step, type Writer, withProcess } from './state.ts'
import { each, everybody, namesOf, nobody, sizeOf, type Users, without } from './users.ts'

/**
 * Whoever else writes the table, each once, with a user that may be any. All write by one transaction, and leave the
 * edges and the count of a provider alone that is not active.
 */
export function writerSteps(state: State, index: number, { kind, done }: Writer, rules: Rules): Step[] {
  if (done) return []
  const step: Writes = (says, change) => ({
    says,
    next: withProcess(state, index, { kind, done: true }, change),
  })
  return [...writers[kind](state, rules, step)]
}

type Writes = (says: string, change: Partial<State>) => Step

const writers: Record<Writer['kind'], (state: State, rules: Rules, step: Writes) => Generator<Step>> = {
  /** Links a user who has no link: to the provider while that is active, or to another one. */
  *linker(state, { late }, step) {
    for (const user of each(free(state))) {
      if (state.provider !== 'active') break
      yield step(`the linker links ${namesOf(user)} to the provider`, {
        saml: state.saml | user,
        edges: state.edges | user,
        count: state.count + 1,
        ...(late.includes('links') && { unseen: state.unseen | user }),
      })
    }
    for (const user of each(free(state)))
      yield step(`the linker links ${namesOf(user)} elsewhere`, linkElsewhere(state, user))
  },

  /** Moves one of a user's links to another provider. */
  *mover(state, rules, step) {
    for (const link of ['saml', 'sso'] as const)
      for (const user of each(state[link])) {
        const change = { [link]: without(state[link], user), ...linkElsewhere(state, user) }
        const says = `the mover moves ${namesOf(user)} elsewhere${rules.twoWays ? ` by ${link}` : ''}`
        yield step(says, { ...change, ...leave(state, { ...state, ...change }, rules) })
      }
  },

  *eraser(state, rules, step) {
    for (const user of each(without(everybody, state.erased))) {
      const change = {
        erased: state.erased | user,
        saml: without(state.saml, user),
        sso: without(state.sso, user),
        elsewhere: without(state.elsewhere, user),
      }
      yield step(`${namesOf(user)} is erased`, { ...change, ...leave(state, { ...state, ...change }, rules) })
    }
  },
}

const free = (state: State) => without(everybody, linked(state) | state.elsewhere | state.erased)
const linkElsewhere = ({ elsewhere, moved }: State, user: Users): Partial<State> => ({
  elsewhere: elsewhere | user,
  moved: moved | user,
})

/** Those whose last link to the provider goes leave it: in the same transaction, while it is active. */
function leave(before: State, after: State, { late, mistake }: Rules): Partial<State> {
  const gone = without(linked(before), linked(after))
  if (before.provider !== 'active')
    return mistake === 'the mover always deletes the edge' ? { edges: without(before.edges, gone) } : {}
  return {
    edges: without(before.edges, gone),
    marked: without(before.marked, gone),
    stale: without(before.stale, gone),
    unseen: without(before.unseen, gone),
    count: before.count - sizeOf(gone),
    ...(late.includes('leaves') && { lingering: before.lingering | gone }),
  }
}

/** What was committed becomes visible to a Query, whoever waits for it. */
export function* sightings(state: State): Generator<Step> {
  for (const user of each(state.unseen))
    yield {
      says: `the new edge of ${namesOf(user)} becomes visible`,
      next: { ...state, unseen: without(state.unseen, user) },
    }
  for (const user of each(state.lingering))
    yield {
      says: `the deleted edge of ${namesOf(user)} is shown no more`,
      next: { ...state, lingering: without(state.lingering, user) },
    }
}

export const allSighted = (state: State): State => ({ ...state, unseen: nobody, lingering: nobody })
