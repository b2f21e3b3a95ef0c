import type { Deleter, State } from './state.ts'
import { noUsers, without } from './users.ts'

const answered = ({ processes }: State) =>
  processes.filter(
    (process): process is Deleter => process.kind === 'deleter' && process.at === 'received the list',
  )

/** The promises of a removal, with any crashes, time-outs and retries; each holds in every state. */
export const invariants = {
  'a list names exactly the users linked when the removal began': (state: State) =>
    answered(state).every(
      ({ list, erasedAtAnswer }) =>
        state.linkedAtStart !== undefined && list === without(state.linkedAtStart, erasedAtAnswer),
    ),

  'once a list is received, no user is linked to the provider': (state: State) =>
    without(state.linked, state.strangers) === noUsers || answered(state).length === 0,

  'a link to another provider is never changed': ({ moved, erased, elsewhere }: State) =>
    without(moved, erased | elsewhere) === noUsers,

  'once a list is received, all its memberships are marked': (state: State) =>
    answered(state).length === 0 || without(state.memberships, state.marked | state.strangers) === noUsers,

  'a user whom a writer links to the removed provider is not changed': ({
    strangers,
    linked,
    marked,
  }: State) => without(strangers, without(linked, marked)) === noUsers,

  'no client receives 404 before TTL deletes the list': ({ isExpiring, processes }: State) =>
    isExpiring || processes.every(process => process.kind !== 'deleter' || process.at !== 'received 404'),
}

/** The last promise is about the states that can follow, so the search verifies it. */
export const canFinish = 'a removal can always finish'
export type Invariant = keyof typeof invariants | typeof canFinish

export const brokenIn = (state: State) =>
  (Object.keys(invariants) as (keyof typeof invariants)[]).find(name => !invariants[name](state))
