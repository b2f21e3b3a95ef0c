import { beginning, finish, mend } from './deleter.ts'
import { mark, markable } from './marking.ts'
import type { Rules } from './rules.ts'
import { type Adrift, client, type Deleter, isOver, type State, type Step, withProcess } from './state.ts'
import { underWay, unlink, ways } from './unlinking.ts'
import { each, namesOf, nobody, type Users, without } from './users.ts'

/** A try may end at any moment, for whatever reason: all it knew is gone, and what it had sent is adrift. */
export function crash(state: State, index: number, me: Deleter, rules: Rules): Step[] {
  if (me.at === 'outside' || isOver(me)) return []
  const next: Deleter = {
    ...client(me.triesLeft, me.isScheduled),
    at: me.triesLeft > 0 ? 'outside' : 'giving up',
  }
  const says = `client ${index + 1} crashes${me.triesLeft > 0 ? '' : ' and gives up'}`
  return [{ says, next: withProcess(state, index, next, { adrift: sent(state, me, rules) }) }]
}

/** Every call that may have been under way. */
function sent({ adrift: before, until }: State, me: Deleter, rules: Rules): Adrift {
  if (me.at === 'beginning') return { ...before, begin: true }
  if (me.at === 'mending') return { ...before, mend: true }
  if (me.at === 'finishing' || me.at === 'finishing, having read') return { ...before, finish: true }
  if (me.at !== 'unlinking') return before
  const marks = me.until === until ? 'mark' : 'staleMark'
  const adrift = { ...before, [marks]: before[marks] | markable(me, rules) }
  for (const user of each(without(me.pending, me.unlinked)))
    for (const way of underWay(me, user, rules)) adrift[way] |= user
  return adrift
}

/** Each of the calls adrift may land at any time. */
export function* landings(state: State, rules: Rules): Generator<Step> {
  const { adrift } = state
  const landed = (says: string, left: Partial<Adrift>, change: Partial<State> | undefined): Step => ({
    says: `late, ${says} lands`,
    next: { ...state, ...change, adrift: { ...adrift, ...change?.adrift, ...left } },
  })
  if (adrift.begin) yield landed('a begin', { begin: false }, beginning(state, rules))
  if (adrift.mend) yield landed('a mending', { mend: false }, mend(state, rules))
  for (const way of ways)
    for (const user of each(adrift[way])) {
      const left = { [way]: without(adrift[way], user) }
      yield landed(`an unlinking of ${namesOf(user)}`, left, unlink(state, user, way, rules))
    }
  for (const [marks, expiry] of [
    ['mark', state.until],
    ['staleMark', Number.NaN],
  ] as const)
    for (const user of each(adrift[marks])) {
      const left = { [marks]: without(adrift[marks], user) }
      yield landed(`a mark of ${namesOf(user)}`, left, mark(state, user, expiry))
    }
  if (adrift.finish) yield landed('a finish', { finish: false }, finish(state, state.until))
}

/** Forgets the calls adrift that can change nothing any more: links to a provider in removal do not come back. */
export function withoutVain(state: State): State {
  const { adrift, provider, saml, sso, until, marked, stale } = state
  const useful: Adrift = {
    begin: adrift.begin && provider === 'active',
    mend: adrift.mend && provider === 'removing' && until === 0,
    both: adrift.both & saml & sso,
    saml: adrift.saml & saml,
    sso: adrift.sso & sso,
    mark: without(adrift.mark, marked),
    staleMark: without(adrift.staleMark, stale),
    finish: adrift.finish && provider !== 'removed',
  }
  return isSame(useful, adrift) ? state : { ...state, adrift: useful }
}

const isSame = (one: Adrift, other: Adrift) =>
  flagsOf(one) === flagsOf(other) && usersOf(one) === usersOf(other)

export const flagsOf = ({ begin, mend, finish }: Adrift) =>
  [begin, mend, finish].reduce((code, flag) => code * 2 + (flag ? 1 : 0), 0)

export const usersOf = ({ both, saml, sso, mark, staleMark }: Adrift): Users =>
  [both, saml, sso, mark, staleMark].reduce((code, users) => code * 8 + users, nobody)
