import { moves, type ProviderState } from '../../lib/domain/provider.ts'
import { listings } from './listing.ts'
import { markings } from './marking.ts'
import type { Rules } from './rules.ts'
import { goOn, order } from './stages.ts'
import { client, type Deleter, type Does, linked, type State, type Step, withProcess } from './state.ts'
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
      return [find(state, me, rules, step)]
    case 'beginning':
      return [begin(state, me, rules, step)]
    case 'listing':
      return listings(state, me, rules, step)
    case 'unlinking':
      return [...unlinkings(state, me, rules, step), ...markings(state, me, rules, step)]
    case 'finishing':
      return [step('marks the provider as removed', goOn(me, rules), finish(state))]
    case 'reporting':
      return [report(state, me, step)]
    default:
      return []
  }
}

function find({ provider }: State, me: Deleter, rules: Rules, step: Does): Step {
  const triesLeft = me.triesLeft - 1
  const [at = 'beginning'] = order(rules)
  if (provider !== 'removed') return step(`finds the provider ${provider}`, { at, triesLeft })
  if (rules.mistake === 'it knows no removed provider')
    return step('is told 404', { ...client(triesLeft), at: 'told 404' })
  return step('finds the provider removed', { at: 'listing', replays: true, triesLeft })
}

function begin(state: State, me: Deleter, rules: Rules, step: Does): Step {
  const change = beginning(state)
  if (change === undefined)
    return step('finds it removed meanwhile', { ...client(me.triesLeft), at: 'listing', replays: true })
  const says = state.provider === 'active' ? 'begins the removal' : 'resumes the removal'
  return step(says, goOn(me, rules), change)
}

const mayMove = (provider: ProviderState, { from }: { from: readonly ProviderState[] }) =>
  from.includes(provider)

export const beginning = (state: State): Partial<State> | undefined =>
  mayMove(state.provider, moves.begin)
    ? { provider: moves.begin.to, linkedAtStart: state.linkedAtStart ?? linked(state) }
    : undefined

export const finish = ({ provider }: State): Partial<State> =>
  mayMove(provider, moves.finish) ? { provider: moves.finish.to } : {}

function report({ erased }: State, me: Deleter, step: Does): Step {
  const list = without(me.list, erased)
  const mine: Deleter = { ...client(me.triesLeft), at: 'told the list', list, erasedThen: erased }
  return step(`is told the list: ${namesOf(list)}`, mine)
}
