import { chunk } from '../../lib/concurrency.ts'
import type { Rules } from './rules.ts'
import { nextStage } from './stages.ts'
import type { Deleter, MakeStep, State, Step } from './state.ts'
import { each, namesOf, noUsers, union, type Users, without } from './users.ts'

/** The change by one conditional update: it clears the user's link if that is to the provider, else nothing. */
export function unlink({ linked, elsewhere }: State, user: Users, { mistake }: Rules): Partial<State> {
  return mistake === 'it unlinks unconditionally'
    ? { linked: without(linked, user), elsewhere: without(elsewhere, user) }
    : { linked: without(linked, user) }
}

/** The pending users are unlinked in any order, several at once. */
export function* unlinkings(state: State, me: Deleter, rules: Rules, step: MakeStep): Generator<Step> {
  for (const user of each(without(me.pending, me.unlinked))) {
    const lists = rules.mistake === 'it lists what this attempt unlinked' && (state.linked & user) !== noUsers
    const mine = { ...me, unlinked: me.unlinked | user, list: lists ? me.list | user : me.list }
    yield step(`unlinks ${namesOf(user)}`, nextStageWhenDone(mine, rules), unlink(state, user, rules))
  }
}

/** The marks of a chunk are sent in one call, but take effect one by one. */
export function* markings(state: State, me: Deleter, rules: Rules, step: MakeStep): Generator<Step> {
  for (const user of each(markable(me, rules))) {
    const mine = nextStageWhenDone({ ...me, marked: me.marked | user }, rules)
    if (rules.mistake === 'it deletes the membership instead of marking it')
      yield step(`deletes the membership of ${namesOf(user)}`, mine, {
        memberships: without(state.memberships, user),
      })
    else yield step(`marks the membership of ${namesOf(user)}`, mine, mark(state, user))
  }
}

const nextStageWhenDone = (me: Deleter, rules: Rules): Deleter =>
  (me.unlinked & me.marked) === me.pending ? nextStage(me, rules) : me

/** A mark replaces the whole membership. */
export const mark = (
  { memberships, marked, notYetShown, stillShown }: State,
  users: Users,
): Partial<State> => ({
  memberships: memberships | users,
  marked: marked | users,
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
