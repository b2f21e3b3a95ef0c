import type { Rules } from './rules.ts'
import { goOn } from './stages.ts'
import { type Deleter, type Does, type State, type Step, shown } from './state.ts'
import { each, namesOf, nobody, sizeOf, together, type Users, without } from './users.ts'

export const listings = (state: State, me: Deleter, rules: Rules, step: Does): Step[] =>
  views(state, rules).map(view => listPage(view, state, me, rules, step))

/** One page of the Query; the last one ends the listing, or has it begin again when its result is suspicious. */
function listPage(view: Users, state: State, me: Deleter, rules: Rules, step: Does): Step {
  const ahead = each(without(view, me.cursor))
  const page = together(ahead.slice(0, rules.pageSize))
  const read: Deleter = {
    ...me,
    list: me.list | page,
    pending: me.pending | without(page, unlinkedBy(state, me, rules)),
    cursor: upTo(page | me.cursor),
    calm: me.cursor === nobody ? isCalm(state) : me.calm,
  }
  const says = `reads a page of edges: ${namesOf(page)}`
  if (ahead.length > rules.pageSize && rules.mistake !== 'it reads the first page only')
    return step(says, read)
  const nothingRead = { list: nobody, pending: nobody, cursor: nobody, calm: false }
  if (isSuspicious(state, read, rules)) return step(`${says}; that is not all, it lists again`, nothingRead)
  const list = rules.mistake === 'it lists what this try unlinked' && !me.replays ? nobody : read.list
  const rest = me.replays ? { pending: nobody } : {}
  return step(`${says}; that is all`, goOn({ ...read, ...rest, list, cursor: nobody, calm: false }, rules))
}

/** Who is taken for unlinked by an edge's expiry. */
function unlinkedBy({ until, marked, stale }: State, me: Deleter, { mistake }: Rules): Users {
  if (mistake === 'it takes any expiry for a mark') return marked | stale
  return me.until === until ? marked : nobody
}

/** Settling: a number of members other than the count may be wrong, unless the listing began long enough after it. */
function isSuspicious(state: State, { replays, list, calm }: Deleter, { mistake }: Rules) {
  if (replays || mistake === 'it does not settle') return false
  const off = sizeOf(list) - state.count
  if (mistake === 'it suspects too few members only' ? off >= 0 : off === 0) return false
  if (mistake === 'it settles until the count is right') return true
  return !(mistake === 'it judges the time after the reading' ? isCalm(state) : calm)
}

const isCalm = ({ unseen, lingering }: State) => (unseen | lingering) === nobody

function views(state: State, { mistake }: Rules): Users[] {
  const view = shown(state)
  if (mistake !== 'it reads eventually consistently') return [view]
  return [view, ...each(view).map(user => without(view, user))]
}

/** Everybody whose id is not beyond the last one's of the set. */
const upTo = (users: Users): Users => (1 << (32 - Math.clz32(users))) - 1
