import type { Rules } from './rules.ts'
import { client, type Deleter, type Stage } from './state.ts'
import { allUsers, noUsers } from './users.ts'

/** The order of the stages. */
export function order({ mistake }: Rules): readonly Stage[] {
  if (mistake === 'it lists before it begins') return listFirst
  if (mistake === 'it finishes before it unlinks') return finishFirst
  return correctOrder
}

export const correctOrder: Stage[] = ['beginning', 'listing', 'unlinking', 'finishing', 'reporting']
const listFirst: Stage[] = ['listing', 'beginning', 'unlinking', 'finishing', 'reporting']
const finishFirst: Stage[] = ['beginning', 'listing', 'finishing', 'unlinking', 'reporting']

/** The attempt at its next stage, or its next page, without what is not needed any more. */
export function nextStage(me: Deleter, rules: Rules): Deleter {
  const isRoundOver = me.isWhole || me.cursor === allUsers
  if (me.replays) return isRoundOver ? { ...me, at: 'reporting', cursor: noUsers } : me
  const stages = order(rules)
  const at = stages[stages.indexOf(me.at as Stage) + 1] ?? 'reporting'
  if (me.isScheduled && at === 'reporting') return { ...client(me.attemptsLeft, true), at: 'gave up' }
  if (at === 'unlinking' && me.pending === noUsers) return nextStage({ ...me, at }, rules)
  if (me.at === 'unlinking') {
    const done = { ...me, pending: noUsers, unlinked: noUsers, marked: noUsers }
    return isRoundOver ? { ...done, at, start: noUsers, cursor: noUsers } : { ...done, at: 'listing' }
  }
  return { ...me, at }
}
