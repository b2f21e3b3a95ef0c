import type { Rules } from './rules.ts'
import { type State, type Step, type Writer, withProcess } from './state.ts'
import { each, allUsers, namesOf, noUsers, sizeOf, type Users, without } from './users.ts'

/**
 * The other writers of the table: each writes once, for any user, in one transaction. The first three do not change the
 * memberships and the count of a provider that is not active.
 */
export function writerSteps(state: State, index: number, { kind, done }: Writer, rules: Rules): Step[] {
  if (done) return []
  const step: MakeStep = (says, change) => ({
    says,
    next: withProcess(state, index, { kind, done: true }, change),
  })
  return [...writers[kind](state, rules, step)]
}

type MakeStep = (says: string, change: Partial<State>) => Step

const writers: Record<Writer['kind'], (state: State, rules: Rules, step: MakeStep) => Generator<Step>> = {
  /** Links a user without a link to the provider while it is active, or to another provider. */
  *linker(state, { late }, step) {
    for (const user of each(free(state))) {
      if (state.provider !== 'active') break
      yield step(`the linker links ${namesOf(user)} to the provider`, {
        linked: state.linked | user,
        memberships: state.memberships | user,
        count: state.count + 1,
        ...(late.includes('links') && { notYetShown: state.notYetShown | user }),
      })
    }
    for (const user of each(free(state)))
      yield step(`the linker links ${namesOf(user)} elsewhere`, linkElsewhere(state, user))
  },

  /** Moves a user to another provider. */
  *mover(state, rules, step) {
    for (const user of each(state.linked))
      yield step(`the mover moves ${namesOf(user)} elsewhere`, {
        ...linkElsewhere(state, user),
        ...leave(state, user, rules),
      })
  },

  *eraser(state, rules, step) {
    for (const user of each(without(allUsers, state.erased)))
      yield step(`${namesOf(user)} is erased`, {
        erased: state.erased | user,
        elsewhere: without(state.elsewhere, user),
        ...leave(state, user, rules),
      })
  },

  /** Links a user to the removed provider, with a membership. */
  *'rule breaker'(state, _, step) {
    if (state.provider !== 'removed') return
    for (const user of each(without(free(state), state.memberships)))
      yield step(`a rule breaker links ${namesOf(user)} to the removed provider`, {
        linked: state.linked | user,
        memberships: state.memberships | user,
        strangers: state.strangers | user,
      })
  },

  /** Deletes a marked membership, by a clock that is ahead. */
  *TTL(state, _, step) {
    if (state.provider !== 'removed') return
    for (const user of each(state.memberships & state.marked))
      yield step(`TTL deletes the membership of ${namesOf(user)}`, {
        memberships: without(state.memberships, user),
        marked: without(state.marked, user),
        isExpiring: true,
      })
  },
}

const free = (state: State) => without(allUsers, state.linked | state.elsewhere | state.erased)
const linkElsewhere = ({ elsewhere, moved }: State, user: Users): Partial<State> => ({
  elsewhere: elsewhere | user,
  moved: moved | user,
})

/** Clears the user's link to the provider, if there is one, and deletes its membership while the provider is active. */
function leave(state: State, user: Users, { late, mistake }: Rules): Partial<State> {
  const gone = state.linked & user
  const linked = without(state.linked, user)
  const memberships = without(state.memberships, gone)
  if (state.provider !== 'active')
    return mistake === 'the mover always deletes the membership' ? { linked, memberships } : { linked }
  return {
    linked,
    memberships,
    notYetShown: without(state.notYetShown, gone),
    count: state.count - sizeOf(gone),
    ...(late.includes('leaves') && { stillShown: state.stillShown | gone }),
  }
}

/** A commit becomes visible to a Query. */
export function* visibilitySteps(state: State): Generator<Step> {
  for (const user of each(state.notYetShown))
    yield {
      says: `the new membership of ${namesOf(user)} becomes visible`,
      next: { ...state, notYetShown: without(state.notYetShown, user) },
    }
  for (const user of each(state.stillShown))
    yield {
      says: `the deleted membership of ${namesOf(user)} is not shown any more`,
      next: { ...state, stillShown: without(state.stillShown, user) },
    }
}

export const allVisible = (state: State): State => ({ ...state, notYetShown: noUsers, stillShown: noUsers })
