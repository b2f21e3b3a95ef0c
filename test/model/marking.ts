import { chunk } from '../../lib/concurrency.ts'
import type { Rules } from './rules.ts'
import { goOnWhenDone } from './stages.ts'
import type { Deleter, Does, State, Step } from './state.ts'
import { each, namesOf, nobody, together, type Users, without } from './users.ts'

/** The marks of a chunk are one call, but land one by one. */
export function* markings(state: State, me: Deleter, rules: Rules, step: Does): Generator<Step> {
  for (const user of each(markable(me, rules))) {
    const mine = { ...me, marked: me.marked | user }
    if (rules.mistake === 'it deletes the edge instead of marking it')
      yield step(`deletes the edge of ${namesOf(user)}`, goOnWhenDone(mine, rules), {
        edges: without(state.edges, user),
      })
    else
      yield step(`marks the edge of ${namesOf(user)}`, goOnWhenDone(mine, rules), mark(state, user, me.until))
  }
}

/** A mark is put with the whole edge, whatever expiry that had. */
export const mark = (
  { edges, until, marked, stale, unseen, lingering }: State,
  users: Users,
  expiry: number,
): Partial<State> => ({
  edges: edges | users,
  marked: expiry === until ? marked | users : without(marked, users),
  stale: expiry === until ? without(stale, users) : stale | users,
  unseen: without(unseen, users),
  lingering: without(lingering, users),
})

const chunkSize = 2
const chunks = Array.from({ length: 8 }, (_, users) => chunk(each(users), chunkSize).map(together))

/** Who may be marked now: those whose chunk is confirmed to be unlinked as a whole. All chunks are under way at once. */
export function markable({ pending, unlinked, marked }: Deleter, { mistake }: Rules): Users {
  if (mistake === 'it marks before it has unlinked') return without(pending, marked)
  const confirmed = chunks[pending]?.filter(chunk => without(chunk, unlinked) === nobody) ?? []
  return without(together(confirmed), marked)
}
