import { transitions } from '../../lib/domain/provider.ts'
import { listings } from './listing.ts'
import { markings } from './marking.ts'
import type { Rules } from './rules.ts'
import { goOn, order } from './stages.ts'
import {
  client,
  type Deleter,
  type Does,
  linked,
  type Stage,
  type State,
  type Step,
  withNewUntil,
  withProcess,
} from './state.ts'
import { unlinkings } from './unlinking.ts'
import { namesOf, without } from './users.ts'

/** What a client's try can do next: every step is one call as it lands, and what the try then knows. */
export function deleterSteps(state: State, index: number, me: Deleter, rules: Rules): Step[] {
  const step: Does = (says, mine, change) => ({
    says: `client ${index + 1} ${says}`,
    next: withProcess(state, index, { ...me, ...mine }, change),
  })
  switch (me.at) {
    case 'outside':
      if (me.isScheduled && state.provider !== 'removing') return []
      return [find(state, { ...me, triesLeft: me.triesLeft - 1 }, rules, step, order(rules)[0])]
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
        step('marks the provider as removed, and is told', { at: 'told the list' }, finish(state, me.until)),
      ]
    case 'reporting':
      return [report(state, me, step)]
    default:
      return []
  }
}

/** @param first where a try starts; one that finds the removal begun needs no beginning */
function find(
  { provider, until }: State,
  me: Deleter,
  rules: Rules,
  step: Does,
  first: Stage = 'beginning',
): Step {
  if (me.isScheduled && provider !== 'removing')
    return step('finds nothing to finish', { ...client(me.triesLeft, true), at: 'giving up' })
  if (provider === 'removed') {
    if (rules.mistake === 'it knows no removed provider')
      return step('is told 404', { ...client(me.triesLeft), at: 'told 404' })
    return step('finds the provider removed', { ...client(me.triesLeft), at: 'listing', replays: true })
  }
  const says = `finds the provider ${provider}`
  if (provider === 'active' || first !== 'beginning') return step(says, { ...me, at: first, until })
  if (until === 0) return step(`${says}, but not until when`, { ...me, at: 'mending' })
  if (rules.mistake === 'it sets the retention anew with each try')
    return step(says, { ...me, at: 'mending' })
  return step(says, { ...goOn({ ...me, at: 'beginning' }, rules), until })
}

function begin(state: State, me: Deleter, rules: Rules, step: Does): Step {
  const change = beginning(state, rules)
  if (change !== undefined) {
    const { until = state.until } = change
    return step('begins the removal', { ...goOn(me, rules), until }, change)
  }
  if (rules.mistake === 'it goes by its own values when another has begun')
    return step('finds it begun', { ...goOn(me, rules), until: state.until + 1 })
  return step('finds it begun meanwhile', { at: 'finding' })
}

function mending(state: State, me: Deleter, rules: Rules, step: Does): Step {
  const change = mend(state, rules)
  if (change === undefined) return step('finds it mended meanwhile', { at: 'finding' })
  const { until = 0 } = change
  return step('mends the removal', { ...goOn({ ...me, at: 'beginning' }, rules), until }, change)
}

/** The first write as it lands; undefined when its condition does not hold. */
export function beginning(state: State, { mistake }: Rules): Partial<State> | undefined {
  if (state.provider !== transitions.begin.from) return undefined
  const isKept = mistake === 'it keeps what an older removal left' && state.until > 0
  return {
    ...(isKept ? {} : withNewUntil(state)),
    provider: transitions.begin.to,
    linkedAtStart: linked(state),
  }
}

/** The replacement of what cannot be right as it lands; undefined when its condition does not hold. */
export function mend(state: State, { mistake }: Rules): Partial<State> | undefined {
  if (state.provider !== transitions.mend.from) return undefined
  const isAnyway =
    mistake === 'it replaces what another has mended' ||
    mistake === 'it sets the retention anew with each try'
  return state.until === 0 || isAnyway ? withNewUntil(state) : undefined
}

/** The users are read while the provider is marked as removed: either may come first. */
function finishings(state: State, me: Deleter, rules: Rules, step: Does): Step[] {
  const marking = step('marks the provider as removed', goOn(me, rules), finish(state, me.until))
  if (me.isScheduled) return [marking]
  const told = toldNow(state, me)
  return [
    marking,
    step(`reads ${namesOf(told.list)}`, { ...told, until: me.until, at: 'finishing, having read' }),
  ]
}

export const finish = ({ provider }: State, expires: number): Partial<State> =>
  provider === transitions.finish.from ? { provider: transitions.finish.to, expires } : {}

function report(state: State, me: Deleter, step: Does): Step {
  const told = toldNow(state, me)
  return step(`is told the list: ${namesOf(told.list)}`, told)
}

const toldNow = ({ erased }: State, me: Deleter): Deleter => ({
  ...client(me.triesLeft),
  at: 'told the list',
  list: without(me.list, erased),
  erasedThen: erased,
})
