import type { Rules } from './rules.ts'
import { client, type Deleter, noneShown, type Stage } from './state.ts'
import { nobody } from './users.ts'

/** The order of the work. */
export function order({ mistake }: Rules): readonly Stage[] {
  if (mistake === 'it lists before it begins') return listFirst
  if (mistake === 'it finishes before it unlinks') return finishFirst
  return asItIs
}

export const asItIs: Stage[] = ['beginning', 'listing', 'unlinking', 'finishing', 'reporting']
const listFirst: Stage[] = ['listing', 'beginning', 'unlinking', 'finishing', 'reporting']
const finishFirst: Stage[] = ['beginning', 'listing', 'finishing', 'unlinking', 'reporting']

export const goOnWhenDone = (me: Deleter, rules: Rules): Deleter =>
  (me.unlinked & me.marked) === me.pending ? goOn(me, rules) : me

/** On to the next stage, without what is no longer needed. */
export function goOn(me: Deleter, rules: Rules): Deleter {
  if (me.replays) return { ...me, at: 'reporting' }
  const stages = order(rules)
  const at = stages[stages.indexOf(me.at as Stage) + 1] ?? 'reporting'
  if (me.isScheduled && at === 'reporting') return { ...client(me.triesLeft, true), at: 'giving up' }
  if (at === 'unlinking' && me.pending === nobody) return goOn({ ...me, at }, rules)
  if (me.at !== 'unlinking') return { ...me, at }
  return { ...me, at, pending: nobody, unlinked: nobody, marked: nobody, shownWays: noneShown }
}
