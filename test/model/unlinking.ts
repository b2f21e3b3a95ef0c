import { chunk } from '../../lib/concurrency.ts'
import type { Rules } from './rules.ts'
import { nextStageWhenDone } from './stages.ts'
import { type Deleter, type MakeStep, linkedBy, noneShown, type State, type Step, type Way } from './state.ts'
import { each, indexOf, namesOf, noUsers, union, type Users, without } from './users.ts'

/** The condition of the first update: that of the previous users, which may be any. Each is one conditional update. */
const firstWays = ({ twoWays }: Rules): readonly Way[] => (twoWays ? ways : ['saml'])
export const ways: readonly Way[] = ['both', 'saml', 'sso']

const fits = (state: State, user: Users, way: Way, { mistake }: Rules) =>
  mistake === 'it unlinks unconditionally' || (linkedBy(state, way) & user) !== noUsers

/** The change by the update: it clears the user's links to the provider if they match the way, else nothing. */
export function unlink(state: State, user: Users, way: Way, rules: Rules): Partial<State> {
  if (!fits(state, user, way, rules)) return {}
  return {
    ...(way !== 'sso' && { saml: without(state.saml, user) }),
    ...(way !== 'saml' && { sso: without(state.sso, user) }),
    ...(rules.mistake === 'it unlinks unconditionally' && { elsewhere: without(state.elsewhere, user) }),
  }
}

/** The possible updates of a user: by the link that a refused update showed, or a first one. */
export function updatesOf({ shownWays }: Deleter, user: Users, rules: Rules): readonly Way[] {
  const shown = shownWays[indexOf(user)]
  return shown === undefined ? firstWays(rules) : [shown]
}

/** How the user is linked when the update is refused; undefined when the user is not linked, or there is no retry. */
function nextWay(state: State, me: Deleter, user: Users, { mistake }: Rules): Way | undefined {
  if (mistake === 'it does not retry a refused update') return undefined
  const isRetry = me.shownWays[indexOf(user)] !== undefined
  if (isRetry && mistake === 'it retries a refused update only once') return undefined
  return ways.find(way => (linkedBy(state, way) & user) !== noUsers)
}

/** The pending users are unlinked in any order, several at once. */
export function* unlinkings(state: State, me: Deleter, rules: Rules, step: MakeStep): Generator<Step> {
  for (const user of each(without(me.pending, me.unlinked))) {
    for (const way of updatesOf(me, user, rules)) {
      const landed = fits(state, user, way, rules)
      const next = landed ? undefined : nextWay(state, me, user, rules)
      const mine = {
        ...me,
        unlinked: next === undefined ? me.unlinked | user : me.unlinked,
        shownWays: rules.twoWays ? me.shownWays.with(indexOf(user), next) : noneShown,
        list: rules.mistake === 'it lists what this attempt unlinked' && landed ? me.list | user : me.list,
      }
      const by = rules.twoWays ? ` by ${way}` : ''
      const says = landed ? `unlinks ${namesOf(user)}${by}` : `is refused to unlink ${namesOf(user)}${by}`
      yield step(says, nextStageWhenDone(mine, rules), unlink(state, user, way, rules))
    }
  }
}

/** The marks of a chunk are sent in one call, but take effect one by one. */
export function* markings(state: State, me: Deleter, rules: Rules, step: MakeStep): Generator<Step> {
  for (const user of each(markable(me, rules))) {
    const mine = { ...me, marked: me.marked | user }
    if (rules.mistake === 'it deletes the membership instead of marking it')
      yield step(`deletes the membership of ${namesOf(user)}`, nextStageWhenDone(mine, rules), {
        memberships: without(state.memberships, user),
      })
    else
      yield step(
        `marks the membership of ${namesOf(user)}`,
        nextStageWhenDone(mine, rules),
        mark(state, user, me.until),
      )
  }
}

/** A mark replaces the whole membership, with any expires_at. */
export const mark = (
  { memberships, until, marked, stale, notYetShown, stillShown }: State,
  users: Users,
  expiry: number,
): Partial<State> => ({
  memberships: memberships | users,
  marked: expiry === until ? marked | users : without(marked, users),
  stale: expiry === until ? without(stale, users) : stale | users,
  notYetShown: without(notYetShown, users),
  stillShown: without(stillShown, users),
})

const chunkSize = 2
const chunks = Array.from({ length: 8 }, (_, users) => chunk(each(users), chunkSize).map(union))

/** The users of the chunks whose users are all confirmed as unlinked. All chunks are in progress at once. */
export function markable({ pending, unlinked, marked }: Deleter, { mistake }: Rules): Users {
  if (mistake === 'it marks before it has unlinked') return without(pending, marked)
  const confirmed = chunks[pending]?.filter(chunk => without(chunk, unlinked) === noUsers) ?? []
  return without(union(confirmed), marked)
}
