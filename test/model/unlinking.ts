import type { Rules } from './rules.ts'
import { goOnWhenDone } from './stages.ts'
import { type Deleter, type Does, linkedBy, noneShown, type State, type Step, type Way } from './state.ts'
import { each, indexOf, namesOf, nobody, type Users, without } from './users.ts'

/** The way that is tried first: the one that fitted other users, which may be any. Each is one conditional update. */
const firstWays = ({ twoWays }: Rules): readonly Way[] => (twoWays ? ways : ['saml'])
export const ways: readonly Way[] = ['both', 'saml', 'sso']

const fits = (state: State, user: Users, way: Way, { mistake }: Rules) =>
  mistake === 'it unlinks unconditionally' || (linkedBy(state, way) & user) !== nobody

/** The update as it lands: it clears the user's links to the provider if they are as the way has it, else nothing. */
export function unlink(state: State, user: Users, way: Way, rules: Rules): Partial<State> {
  if (!fits(state, user, way, rules)) return {}
  return {
    ...(way !== 'sso' && { saml: without(state.saml, user) }),
    ...(way !== 'saml' && { sso: without(state.sso, user) }),
    ...(rules.mistake === 'it unlinks unconditionally' && { elsewhere: without(state.elsewhere, user) }),
  }
}

/** The update that is under way for a user: for the way in which an earlier one showed the user, or a first one. */
export function underWay({ shownWays }: Deleter, user: Users, rules: Rules): readonly Way[] {
  const shown = shownWays[indexOf(user)]
  return shown === undefined ? firstWays(rules) : [shown]
}

/** An update that is refused shows how the user is linked at that moment; undefined when the user is not, or no try is left. */
function nextWay(state: State, me: Deleter, user: Users, { mistake }: Rules): Way | undefined {
  if (mistake === 'it does not try again when refused') return undefined
  const isRetry = me.shownWays[indexOf(user)] !== undefined
  if (isRetry && mistake === 'it tries again once only') return undefined
  return ways.find(way => (linkedBy(state, way) & user) !== nobody)
}

/** The pending users are unlinked in any order, several at once. */
export function* unlinkings(state: State, me: Deleter, rules: Rules, step: Does): Generator<Step> {
  for (const user of each(without(me.pending, me.unlinked))) {
    for (const way of underWay(me, user, rules)) {
      const landed = fits(state, user, way, rules)
      const next = landed ? undefined : nextWay(state, me, user, rules)
      const mine = {
        ...me,
        unlinked: next === undefined ? me.unlinked | user : me.unlinked,
        shownWays: rules.twoWays ? me.shownWays.with(indexOf(user), next) : noneShown,
        list: rules.mistake === 'it lists what this try unlinked' && landed ? me.list | user : me.list,
      }
      const by = rules.twoWays ? ` by ${way}` : ''
      const says = landed ? `unlinks ${namesOf(user)}${by}` : `is refused to unlink ${namesOf(user)}${by}`
      yield step(says, goOnWhenDone(mine, rules), unlink(state, user, way, rules))
    }
  }
}
