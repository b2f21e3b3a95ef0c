import { beginning, finish, mend } from './deleter.ts'
import type { Rules } from './rules.ts'
import { type InFlight, client, type Deleter, isOver, type State, type Step, withProcess } from './state.ts'
import { mark, markable, updatesOf, unlink, ways } from './unlinking.ts'
import { each, namesOf, without } from './users.ts'

/** An attempt may end at any moment: it loses what it knew, and the calls that it had sent stay in flight. */
export function crash(state: State, index: number, me: Deleter, rules: Rules): Step[] {
  if (me.at === 'idle' || isOver(me)) return []
  const next: Deleter = {
    ...client(me.attemptsLeft, me.isScheduled),
    at: me.attemptsLeft > 0 ? 'idle' : 'gave up',
  }
  const says = `client ${index + 1} crashes${me.attemptsLeft > 0 ? '' : ' and gives up'}`
  return [{ says, next: withProcess(state, index, next, { inFlight: sent(state, me, rules) }) }]
}

/** The calls that may be in flight. */
function sent({ inFlight: before, until }: State, me: Deleter, rules: Rules): InFlight {
  if (me.at === 'beginning') return { ...before, begin: true }
  if (me.at === 'mending') return { ...before, mend: true }
  if (me.at === 'finishing' || me.at === 'finishing, having read') return { ...before, finish: true }
  if (me.at !== 'unlinking') return before
  const marks = me.until === until ? 'mark' : 'staleMark'
  const inFlight = { ...before, [marks]: before[marks] | markable(me, rules) }
  for (const user of each(without(me.pending, me.unlinked)))
    for (const way of updatesOf(me, user, rules)) inFlight[way] |= user
  return inFlight
}

/** Each call in flight may take effect at any time. */
export function* landings(state: State, rules: Rules): Generator<Step> {
  const { inFlight } = state
  const landed = (says: string, left: Partial<InFlight>, change: Partial<State> | undefined): Step => ({
    says: `late, ${says} takes effect`,
    next: { ...state, ...change, inFlight: { ...inFlight, ...change?.inFlight, ...left } },
  })
  if (inFlight.begin) yield landed('a begin', { begin: false }, beginning(state, rules))
  if (inFlight.mend) yield landed('a repair', { mend: false }, mend(state, rules))
  for (const way of ways)
    for (const user of each(inFlight[way])) {
      const left = { [way]: without(inFlight[way], user) }
      yield landed(`an unlink of ${namesOf(user)}`, left, unlink(state, user, way, rules))
    }
  for (const [marks, expiry] of [
    ['mark', state.until],
    ['staleMark', Number.NaN],
  ] as const)
    for (const user of each(inFlight[marks])) {
      const left = { [marks]: without(inFlight[marks], user) }
      yield landed(`a mark of ${namesOf(user)}`, left, mark(state, user, expiry))
    }
  if (inFlight.finish) yield landed('a finish', { finish: false }, finish(state, state.until))
}

/** Drops the calls in flight that can change nothing any more: a provider in removal gets no new links. */
export function withoutIneffective(state: State): State {
  const { inFlight, provider, saml, sso, until, marked, stale } = state
  const useful: InFlight = {
    begin: inFlight.begin && provider === 'active',
    mend: inFlight.mend && provider === 'removing' && until === 0,
    both: inFlight.both & saml & sso,
    saml: inFlight.saml & saml,
    sso: inFlight.sso & sso,
    mark: without(inFlight.mark, marked),
    staleMark: without(inFlight.staleMark, stale),
    finish: inFlight.finish && provider !== 'removed',
  }
  return { ...state, inFlight: useful }
}
