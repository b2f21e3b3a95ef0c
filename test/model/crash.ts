import { beginning, finish } from './deleter.ts'
import { mark, markable } from './marking.ts'
import type { Rules } from './rules.ts'
import {
  type Adrift,
  client,
  type Deleter,
  isOver,
  type State,
  type Step,
  type Way,
  withProcess,
} from './state.ts'
import { underWay, unlink } from './unlinking.ts'
import { each, namesOf, nobody, type Users, without } from './users.ts'

/** A try may end at any moment, for whatever reason: all it knew is gone, and what it had sent is adrift. */
export function crash(state: State, index: number, me: Deleter, rules: Rules): Step[] {
  if (me.at === 'outside' || isOver(me)) return []
  const next: Deleter = { ...client(me.triesLeft), at: me.triesLeft > 0 ? 'outside' : 'giving up' }
  const says = `client ${index + 1} crashes${me.triesLeft > 0 ? '' : ' and gives up'}`
  return [{ says, next: withProcess(state, index, next, { adrift: sent(state.adrift, me, rules) }) }]
}

/** Every call that may have been under way. */
function sent(before: Adrift, me: Deleter, rules: Rules): Adrift {
  if (me.at === 'beginning') return { ...before, begin: true }
  if (me.at === 'finishing') return { ...before, finish: true }
  if (me.at !== 'unlinking') return before
  const adrift = { ...before, mark: before.mark | markable(me, rules) }
  for (const user of each(without(me.pending, me.unlinked)))
    for (const [way] of underWay(me, user, rules)) if (way) adrift[way] |= user
  return adrift
}

const ways: Way[] = ['both', 'saml', 'sso']

/** Each of the calls adrift may land at any time. */
export function* landings(state: State, rules: Rules): Generator<Step> {
  const { adrift } = state
  const landed = (says: string, left: Partial<Adrift>, change: Partial<State> | undefined): Step => ({
    says: `late, ${says} lands`,
    next: { ...state, ...change, adrift: { ...adrift, ...left } },
  })
  if (adrift.begin) yield landed('a begin', { begin: false }, beginning(state))
  for (const way of ways)
    for (const user of each(adrift[way])) {
      const left = { [way]: without(adrift[way], user) }
      yield landed(`an unlinking of ${namesOf(user)}`, left, unlink(state, user, way, rules))
    }
  for (const user of each(adrift.mark))
    yield landed(`a mark of ${namesOf(user)}`, { mark: without(adrift.mark, user) }, mark(state, user))
  if (adrift.finish) yield landed('a finish', { finish: false }, finish(state))
}

/** Forgets the calls adrift that can change nothing any more: links to a provider in removal do not come back. */
export function withoutVain(state: State): State {
  const { adrift, provider, saml, sso, marked } = state
  const useful: Adrift = {
    begin: adrift.begin && provider === 'active',
    both: adrift.both & saml & sso,
    saml: adrift.saml & saml,
    sso: adrift.sso & sso,
    mark: without(adrift.mark, marked),
    finish: adrift.finish && provider !== 'removed',
  }
  return isSame(useful, adrift) ? state : { ...state, adrift: useful }
}

const isSame = (one: Adrift, other: Adrift) =>
  one.begin === other.begin && one.finish === other.finish && usersOf(one) === usersOf(other)

export const usersOf = ({ both, saml, sso, mark }: Adrift): Users =>
  [both, saml, sso, mark].reduce((code, users) => code * 8 + users, nobody)
