import type { Rules } from './rules.ts'
import { nextStage } from './stages.ts'
import { client, type Deleter, type MakeStep, type State, type Step, shown } from './state.ts'
import { each, namesOf, noUsers, sizeOf, union, type Users, without } from './users.ts'

export const listings = (state: State, me: Deleter, rules: Rules, step: MakeStep): Step[] =>
  views(state, rules).map(view => listPage(replayed(view, state, me, rules), state, me, rules, step))

/** Of a finished removal only the memberships that it has marked are listed. */
const replayed = (view: Users, { marked }: State, { replays }: Deleter, { mistake }: Rules) =>
  replays && mistake !== 'it repeats every membership' ? view & marked : view

/** One page of the Query; after the last one the listing ends, or begins again when the count may be wrong. */
function listPage(view: Users, state: State, me: Deleter, rules: Rules, step: MakeStep): Step {
  const ahead = each(without(view, me.cursor))
  const page = union(ahead.slice(0, rules.pageSize))
  const read: Deleter = {
    ...me,
    list: me.list | page,
    pending: me.pending | without(page, state.marked),
    cursor: upTo(page | me.cursor),
    settled: me.cursor === noUsers ? isSettled(state) : me.settled,
  }
  const says = `reads a page of memberships: ${namesOf(page)}`
  if (ahead.length > rules.pageSize && rules.mistake !== 'it reads the first page only')
    return step(says, read)
  if (me.replays && sizeOf(read.list) < state.listed && rules.mistake !== 'it repeats a shorter list')
    return step(`${says}; some are gone`, { ...client(me.attemptsLeft), at: 'received 404' })
  const nothingRead = { list: noUsers, pending: noUsers, cursor: noUsers, settled: false }
  if (mustListAgain(state, read, rules))
    return step(`${says}; the number differs from the count, it lists again`, nothingRead)
  const isOther = !me.replays && sizeOf(read.list) !== state.count && state.provider === 'removed'
  if (isOther && rules.mistake !== 'it believes its list when another has finished')
    return step(`${says}; another has finished`, {
      ...client(me.attemptsLeft, me.isScheduled),
      at: 'finding',
    })
  const list = rules.mistake === 'it lists what this attempt unlinked' && !me.replays ? noUsers : read.list
  const rest = me.replays ? { pending: noUsers } : {}
  return step(
    `${says}; the listing ends`,
    nextStage({ ...read, ...rest, list, cursor: noUsers, settled: false }, rules),
  )
}

/** A number of members other than the count may be wrong, unless the listing began after all commits were visible. */
function mustListAgain(state: State, { replays, list, settled }: Deleter, { mistake }: Rules) {
  if (replays || mistake === 'it does not settle') return false
  const off = sizeOf(list) - state.count
  if (mistake === 'it lists again only for too few members' ? off >= 0 : off === 0) return false
  if (mistake === 'it settles until the count is right') return true
  return !(mistake === 'it checks the time after the read' ? isSettled(state) : settled)
}

const isSettled = ({ notYetShown, stillShown }: State) => (notYetShown | stillShown) === noUsers

function views(state: State, { mistake }: Rules): Users[] {
  const view = shown(state)
  if (mistake !== 'it reads eventually consistently') return [view]
  return [view, ...each(view).map(user => without(view, user))]
}

/** All users up to the last one of the set. */
const upTo = (users: Users): Users => (1 << (32 - Math.clz32(users))) - 1
