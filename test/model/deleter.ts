import { transitions } from '../../lib/domain/provider.ts'
import { listings } from './listing.ts'
import type { Rules } from './rules.ts'
import { nextStage, order } from './stages.ts'
import {
  client,
  type Deleter,
  type MakeStep,
  linked,
  type Stage,
  type State,
  type Step,
  withNewUntil,
  withProcess,
} from './state.ts'
import { markings, unlinkings } from './unlinking.ts'
import { namesOf, sizeOf, without } from './users.ts'

/** The next steps of an attempt: each is one call as it takes effect, and what the attempt knows then. */
export function deleterSteps(state: State, index: number, me: Deleter, rules: Rules): Step[] {
  const step: MakeStep = (says, mine, change) => ({
    says: `client ${index + 1} ${says}`,
    next: withProcess(state, index, { ...me, ...mine }, change),
  })
  switch (me.at) {
    case 'idle':
      if (me.isScheduled && state.provider !== 'removing') return []
      return [find(state, { ...me, attemptsLeft: me.attemptsLeft - 1 }, rules, step, order(rules)[0])]
    case 'finding':
      return [find(state, me, rules, step, 'beginning')]
    case 'beginning':
      return [begin(state, me, rules, step)]
    case 'mending':
      return [mending(state, me, rules, step)]
    case 'listing':
      return listings(state, me, rules, step)
    case 'unlinking':
      return [...unlinkings(state, me, rules, step), ...markings(state, me, rules, step)]
    case 'finishing':
      return finishings(state, me, rules, step)
    case 'finishing, having read':
      return [
        step(
          'marks the provider as removed, and receives the list',
          { at: 'received the list' },
          finish(state, me.until),
        ),
      ]
    case 'reporting':
      return [report(state, me, step)]
    default:
      return []
  }
}

/** @param first the first stage of an attempt that does not find the removal begun */
function find(
  { provider, until }: State,
  me: Deleter,
  rules: Rules,
  step: MakeStep,
  first: Stage = 'beginning',
): Step {
  if (me.isScheduled && provider !== 'removing')
    return step('finds nothing to finish', { ...client(me.attemptsLeft, true), at: 'gave up' })
  if (provider === 'removed') {
    if (rules.mistake === 'it does not find a removed provider')
      return step('receives 404', { ...client(me.attemptsLeft), at: 'received 404' })
    return step('finds the provider removed', { ...client(me.attemptsLeft), at: 'listing', replays: true })
  }
  const says = `finds the provider ${provider}`
  if (provider === 'active' || first !== 'beginning') return step(says, { ...me, at: first, until })
  if (until === 0) return step(`${says}, without a valid retained_until`, { ...me, at: 'mending' })
  if (rules.mistake === 'it sets a new retention with each attempt')
    return step(says, { ...me, at: 'mending' })
  return step(says, { ...nextStage({ ...me, at: 'beginning' }, rules), until })
}

function begin(state: State, me: Deleter, rules: Rules, step: MakeStep): Step {
  const change = beginning(state, rules)
  if (change !== undefined) {
    const { until = state.until } = change
    return step('begins the removal', { ...nextStage(me, rules), until }, change)
  }
  if (rules.mistake === 'it uses its own values when another has begun')
    return step('finds it begun', { ...nextStage(me, rules), until: state.until + 1 })
  return step('finds it begun meanwhile', { at: 'finding' })
}

function mending(state: State, me: Deleter, rules: Rules, step: MakeStep): Step {
  const change = mend(state, rules)
  if (change === undefined) return step('finds it repaired meanwhile', { at: 'finding' })
  const { until = 0 } = change
  return step('repairs the removal', { ...nextStage({ ...me, at: 'beginning' }, rules), until }, change)
}

/** The change by the first write; undefined when its condition fails. */
export function beginning(state: State, { mistake }: Rules): Partial<State> | undefined {
  if (state.provider !== transitions.begin.from) return undefined
  const isKept = mistake === 'it keeps the attributes of an older removal' && state.until > 0
  return {
    ...(isKept ? {} : withNewUntil(state)),
    provider: transitions.begin.to,
    linkedAtStart: linked(state),
  }
}

/** The change by the replacement of malformed attributes; undefined when its condition fails. */
export function mend(state: State, { mistake }: Rules): Partial<State> | undefined {
  if (state.provider !== transitions.mend.from) return undefined
  const isUnconditional =
    mistake === 'it replaces what another has repaired' ||
    mistake === 'it sets a new retention with each attempt'
  return state.until === 0 || isUnconditional ? withNewUntil(state) : undefined
}

/** The users are read while the provider is marked as removed: either may be first. */
function finishings(state: State, me: Deleter, rules: Rules, step: MakeStep): Step[] {
  const marking = step('marks the provider as removed', nextStage(me, rules), finish(state, me.until))
  if (me.isScheduled) return [marking]
  const answer = answerNow(state, me)
  return [
    marking,
    step(`reads ${namesOf(answer.list)}`, { ...answer, until: me.until, at: 'finishing, having read' }),
  ]
}

export const finish = ({ provider, memberships }: State, expires: number): Partial<State> =>
  provider === transitions.finish.from
    ? { provider: transitions.finish.to, expires, listed: sizeOf(memberships) }
    : {}

function report(state: State, me: Deleter, step: MakeStep): Step {
  const answer = answerNow(state, me)
  return step(`receives the list: ${namesOf(answer.list)}`, answer)
}

const answerNow = ({ erased }: State, me: Deleter): Deleter => ({
  ...client(me.attemptsLeft),
  at: 'received the list',
  list: without(me.list, erased),
  erasedAtAnswer: erased,
})
