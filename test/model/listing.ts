import type { Rules } from './rules.ts'
import { nextStage } from './stages.ts'
import { client, type Deleter, type MakeStep, type State, type Step, shown } from './state.ts'
import { allUsers, each, namesOf, noUsers, sizeOf, union, type Users, without } from './users.ts'

/** A page of a Query. */
interface Page {
  users: Users
  /** The part of all keys that is read with it. */
  read: Users
}

/** The next page of a part of the keys. */
export function pageOf(view: Users, part: Users, { pageSize }: Rules): Page {
  const ahead = each(view & part)
  const users = union(ahead.slice(0, pageSize))
  return { users, read: ahead.length > pageSize ? part & upTo(users) : part }
}

/**
 * A round begins at a position and ends there. The position may be wrong in any way: stored before the marks, by an older
 * removal, or not at all. So each attempt may begin at any position; a list of one page has none.
 */
export function listings(state: State, me: Deleter, rules: Rules, step: MakeStep): Step[] {
  const isAtStart = me.cursor === noUsers
  const starts = isAtStart && !me.replays && rules.pageSize < 3 ? positions : [me.start]
  return starts.flatMap(start =>
    views(state, rules).flatMap(view => listPage(view, state, { ...me, start }, rules, step)),
  )
}

/** One page of the round. */
function listPage(view: Users, state: State, me: Deleter, rules: Rules, step: MakeStep): Step[] {
  const { mistake } = rules
  const after = without(allUsers, me.start | me.cursor)
  const goesRound = after === noUsers && mistake !== 'it does not go round'
  const page = pageOf(view, goesRound ? without(me.start, me.cursor) : after, rules)
  const cursor = me.cursor | page.read
  const isWhole = me.start === noUsers && page.read === allUsers
  const says = `reads a page of memberships: ${namesOf(page.users)}`
  // Before that a Query may show too much or too little: the attempt waits.
  if (me.cursor === noUsers && !me.replays && mustWait(state, page, rules)) return []
  if (isWhole) return listWhole(page.users, says, state, { ...me, cursor }, rules, step)
  const users =
    me.replays && mistake !== 'it repeats every membership' ? page.users & state.marked : page.users
  const pending = me.replays ? noUsers : without(users, state.marked)
  if (
    pending !== noUsers &&
    state.provider === 'removed' &&
    mistake !== 'it unlinks when another has finished'
  )
    return [foundFinished(says, me, step)]
  const isOver = cursor === allUsers || (mistake === 'it does not go round' && page.read === after)
  const read = {
    ...me,
    pending,
    counted: me.counted + sizeOf(users),
    cursor: isOver || mistake === 'it reads the first page only' ? allUsers : cursor,
  }
  return [listed(says, state, read, rules, step)]
}

/** The whole list is one page. */
function listWhole(
  view: Users,
  says: string,
  state: State,
  me: Deleter,
  rules: Rules,
  step: MakeStep,
): Step[] {
  const { mistake } = rules
  const users = me.replays && mistake !== 'it repeats every membership' ? view & state.marked : view
  const pending = me.replays ? noUsers : without(users, state.marked)
  const read = { ...me, pending, list: users, isWhole: true, counted: sizeOf(users) }
  const isOther = !me.replays && read.counted !== state.count && state.provider === 'removed'
  if (isOther && mistake !== 'it believes its list when another has finished')
    return [foundFinished(says, me, step)]
  const list = mistake === 'it lists what this attempt unlinked' && !me.replays ? noUsers : users
  return [listed(says, state, { ...read, list }, rules, step)]
}

/** The attempt after a page. A finished removal of which less is left than it has counted is not listed. */
function listed(says: string, state: State, me: Deleter, rules: Rules, step: MakeStep): Step {
  const isShorter = me.cursor === allUsers && me.counted < state.listed
  if (me.replays && isShorter && rules.mistake !== 'it repeats a shorter list')
    return step(`${says}; some are gone`, { ...client(me.attemptsLeft), at: 'received 404' })
  return step(says, nextStage(me, rules))
}

export const foundFinished = (says: string, me: Deleter, step: MakeStep): Step =>
  step(`${says}; another has finished`, { ...client(me.attemptsLeft, me.isScheduled), at: 'finding' })

/** Whether commits before the removal may still be unseen. */
function mustWait(state: State, { users }: Page, { mistake }: Rules) {
  if (mistake === 'it does not settle') return false
  if (mistake === 'it believes the right number' && sizeOf(users) === state.count) return false
  return !isSettled(state)
}

const isSettled = ({ notYetShown, stillShown }: State) => (notYetShown | stillShown) === noUsers

export function views(state: State, { mistake }: Rules): Users[] {
  const view = shown(state)
  if (mistake !== 'it reads eventually consistently') return [view]
  return [view, ...each(view).map(user => without(view, user))]
}

/** All users up to the last one of the set. */
const upTo = (users: Users): Users => (1 << (32 - Math.clz32(users))) - 1
const positions: readonly Users[] = [noUsers, 1, 3, 7]
