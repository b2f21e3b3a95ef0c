import { transitions } from '../../lib/domain/provider.ts'
import { listings } from './listing.ts'
import type { Rules } from './rules.ts'
import { nextStage, order } from './stages.ts'
import {
  client,
  type Deleter,
  type MakeStep,
  type Stage,
  type State,
  type Step,
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
          finish(state),
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
  { provider }: State,
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
  if (provider === 'active' || first !== 'beginning') return step(says, { ...me, at: first })
  return step(says, nextStage({ ...me, at: 'beginning' }, rules))
}

function begin(state: State, me: Deleter, rules: Rules, step: MakeStep): Step {
  const change = beginning(state)
  return change === undefined
    ? step('finds it begun meanwhile', { at: 'finding' })
    : step('begins the removal', nextStage(me, rules), change)
}

/** The change by the first write; undefined when its condition fails. */
export const beginning = ({ provider, linked }: State): Partial<State> | undefined =>
  provider === transitions.begin.from ? { provider: transitions.begin.to, linkedAtStart: linked } : undefined

/** The users are read while the provider is marked as removed: either may be first. */
function finishings(state: State, me: Deleter, rules: Rules, step: MakeStep): Step[] {
  const marking = step('marks the provider as removed', nextStage(me, rules), finish(state))
  if (me.isScheduled) return [marking]
  const answer = answerNow(state, me)
  return [marking, step(`reads ${namesOf(answer.list)}`, { ...answer, at: 'finishing, having read' })]
}

export const finish = ({ provider, memberships }: State): Partial<State> =>
  provider === transitions.finish.from ? { provider: transitions.finish.to, listed: sizeOf(memberships) } : {}

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
