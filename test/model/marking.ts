import { chunk } from '../../lib/concurrency.ts'
import type { Rules } from './rules.ts'
import { nextStageWhenDone } from './stages.ts'
import type { Deleter, MakeStep, State, Step } from './state.ts'
import { each, namesOf, noUsers, union, type Users, without } from './users.ts'

/** The marks of a chunk are sent in one call, but take effect one by one. */
export function* markings(state: State, me: Deleter, rules: Rules, step: MakeStep): Generator<Step> {
  for (const user of each(markable(me, rules))) {
    const mine = { ...me, marked: me.marked | user }
    if (rules.mistake === 'it deletes the membership instead of marking it')
      yield step(`deletes the membership of ${namesOf(user)}`, nextStageWhenDone(mine, rules), {
        memberships: without(state.memberships, user),
      })
    else
      yield step(
        `marks the membership of ${namesOf(user)}`,
        nextStageWhenDone(mine, rules),
        mark(state, user, me.until),
      )
  }
}

/** A mark replaces the whole membership, with any expires_at. */
export const mark = (
  { memberships, until, marked, stale, notYetShown, stillShown }: State,
  users: Users,
  expiry: number,
): Partial<State> => ({
  memberships: memberships | users,
  marked: expiry === until ? marked | users : without(marked, users),
  stale: expiry === until ? without(stale, users) : stale | users,
  notYetShown: without(notYetShown, users),
  stillShown: without(stillShown, users),
})

const chunkSize = 2
const chunks = Array.from({ length: 8 }, (_, users) => chunk(each(users), chunkSize).map(union))

/** The users of the chunks whose users are all confirmed as unlinked. All chunks are in progress at once. */
export function markable({ pending, unlinked, marked }: Deleter, { mistake }: Rules): Users {
  if (mistake === 'it marks before it has unlinked') return without(pending, marked)
  const confirmed = chunks[pending]?.filter(chunk => without(chunk, unlinked) === noUsers) ?? []
  return without(union(confirmed), marked)
}
