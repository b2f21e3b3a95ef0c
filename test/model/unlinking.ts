import type { Rules } from './rules.ts'
import { goOnWhenDone } from './stages.ts'
import { type Deleter, type Does, linkedBy, type State, type Step, untried, type Way } from './state.ts'
import { each, indexOf, namesOf, nobody, type Users, without } from './users.ts'

/**
 * In which order the ways of a user are tried. The one that fitted the user before may come first; which that is hangs
 * on what else is under way, so any may. A way tried is one conditional update.
 */
function orders({ twoWays, mistake }: Rules): readonly (readonly Way[])[] {
  if (!twoWays) return oneWay
  if (mistake === 'it tries each way once') return eachOnce
  if (mistake === 'it does not try both ways again') return singleOnly
  return asTheyAre
}

const oneWay: Way[][] = [['saml']]
const asTheyAre: Way[][] = [
  ['both', 'saml', 'sso'],
  ['saml', 'both', 'saml', 'sso'],
  ['sso', 'both', 'saml', 'sso'],
]
const eachOnce: Way[][] = [
  ['both', 'saml', 'sso'],
  ['saml', 'both', 'sso'],
  ['sso', 'both', 'saml'],
]
const singleOnly: Way[][] = [
  ['both', 'saml', 'sso'],
  ['saml', 'sso'],
  ['sso', 'saml'],
]

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

/** What is being tried for a user: the rest of an order, or any order when nothing was tried yet. */
export function underWay({ waysLeft }: Deleter, user: Users, rules: Rules) {
  const left = waysLeft[indexOf(user)] ?? []
  return left.length > 0 ? [left] : orders(rules)
}

/** The pending users are unlinked in any order, several at once. */
export function* unlinkings(state: State, me: Deleter, rules: Rules, step: Does): Generator<Step> {
  for (const user of each(without(me.pending, me.unlinked))) {
    for (const [way, ...waysLeft] of underWay(me, user, rules)) {
      if (way === undefined) continue
      const landed = fits(state, user, way, rules)
      const over = landed || waysLeft.length === 0
      const mine = {
        ...me,
        unlinked: over ? me.unlinked | user : me.unlinked,
        waysLeft: rules.twoWays ? me.waysLeft.with(indexOf(user), over ? [] : waysLeft) : untried,
        list: rules.mistake === 'it lists what this try unlinked' && landed ? me.list | user : me.list,
      }
      const by = rules.twoWays ? ` by ${way}` : ''
      const says = landed ? `unlinks ${namesOf(user)}${by}` : `finds ${namesOf(user)} not linked${by}`
      yield step(says, goOnWhenDone(mine, rules), unlink(state, user, way, rules))
    }
  }
}
