import { beginning, finish } from './deleter.ts'
import type { Rules } from './rules.ts'
import { client, type Deleter, type InFlight, isOver, type State, type Step, withProcess } from './state.ts'
import { mark, markable, unlink } from './unlinking.ts'
import { each, namesOf, without } from './users.ts'

/** An attempt may end at any moment: it loses what it knew, and the calls that it had sent stay in flight. */
export function crash(state: State, index: number, me: Deleter, rules: Rules): Step[] {
  if (me.at === 'idle' || isOver(me)) return []
  const next: Deleter = {
    ...client(me.attemptsLeft, me.isScheduled),
    at: me.attemptsLeft > 0 ? 'idle' : 'gave up',
  }
  const says = `client ${index + 1} crashes${me.attemptsLeft > 0 ? '' : ' and gives up'}`
  const inFlight = { ...state.inFlight, ...sent(state.inFlight, me, rules) }
  return [{ says, next: withProcess(state, index, next, { inFlight }) }]
}

/** The calls of an attempt that may be in flight. */
function sent({ unlink, mark, finish }: InFlight, me: Deleter, rules: Rules): Partial<InFlight> {
  if (me.at === 'beginning') return { begin: true }
  if (me.at === 'finishing' || me.at === 'finishing, having read')
    return { finish: finish | (1 << me.counted) }
  if (me.at !== 'unlinking') return {}
  return { unlink: unlink | without(me.pending, me.unlinked), mark: mark | markable(me, rules) }
}

/** Each call in flight may take effect at any time. */
export function* landings(state: State, rules: Rules): Generator<Step> {
  const { inFlight } = state
  const landed = (says: string, left: Partial<InFlight>, change: Partial<State> | undefined): Step => ({
    says: `late, ${says} takes effect`,
    next: { ...state, ...change, inFlight: { ...inFlight, ...left } },
  })
  if (inFlight.begin) yield landed('a begin', { begin: false }, beginning(state))
  for (const user of each(inFlight.unlink)) {
    const left = { unlink: without(inFlight.unlink, user) }
    yield landed(`an unlink of ${namesOf(user)}`, left, unlink(state, user, rules))
  }
  for (const user of each(inFlight.mark)) {
    const left = { mark: without(inFlight.mark, user) }
    yield landed(`a mark of ${namesOf(user)}`, left, mark(state, user))
  }
  for (let listed = 0; inFlight.finish >> listed > 0; listed++)
    if (inFlight.finish & (1 << listed))
      yield landed(
        `a finish with ${listed}`,
        { finish: inFlight.finish & ~(1 << listed) },
        finish(state, listed),
      )
}

/** Drops the calls in flight that can change nothing any more: a provider in removal gets no new links. */
export function withoutIneffective(state: State): State {
  const { inFlight, provider, linked, marked } = state
  const useful: InFlight = {
    begin: inFlight.begin && provider === 'active',
    unlink: inFlight.unlink & linked,
    mark: without(inFlight.mark, marked),
    finish: provider === 'removed' ? 0 : inFlight.finish,
  }
  return { ...state, inFlight: useful }
}
