import { transitions } from '../../lib/domain/provider.ts'
import { foundFinished, listings, pageOf, views } from './listing.ts'
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
import { allUsers, namesOf, sizeOf, without } from './users.ts'

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
      return [step('marks the provider as removed', answered(me, rules), finish(state, me.counted))]
    case 'reporting':
      return reports(state, me, rules, step)
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

/** The first users are read while the provider is marked as removed: either may be first. */
function finishings(state: State, me: Deleter, rules: Rules, step: MakeStep): Step[] {
  const isOther = me.counted !== state.count && state.provider === 'removed'
  if (!me.isWhole && isOther && rules.mistake !== 'it believes its list when another has finished')
    return [foundFinished('compares the number', me, step)]
  const marking = step('marks the provider as removed', nextStage(me, rules), finish(state, me.counted))
  if (me.isScheduled) return [marking]
  return [marking, ...reports(state, me, rules, step, 'finishing, having read')]
}

export const finish = ({ provider }: State, listed: number): Partial<State> =>
  provider === transitions.finish.from ? { provider: transitions.finish.to, listed } : {}

/** Reads a page of the answer; without pages, all of it. */
const reports = (state: State, me: Deleter, rules: Rules, step: MakeStep, at?: Deleter['at']): Step[] =>
  answerPages(state, me, rules).map(read =>
    step(
      `reads for the answer: ${namesOf(read.list)}`,
      at === undefined ? answered(read, rules) : { ...read, at },
    ),
  )

function answerPages(state: State, me: Deleter, rules: Rules): Deleter[] {
  const { erased, marked } = state
  if (me.isWhole) return [{ ...me, list: without(me.list, erased), erasedAtAnswer: erased, cursor: allUsers }]
  return views(state, rules).map(view => {
    const page = pageOf(view, without(allUsers, me.cursor), rules)
    const members = rules.mistake === 'it repeats every membership' ? page.users : page.users & marked
    return {
      ...me,
      list: me.list | without(members, erased),
      erasedAtAnswer: me.erasedAtAnswer | (members & erased),
      cursor: me.cursor | page.read,
    }
  })
}

/** After a page of the answer: an answer that ends with fewer users than were counted is cut. */
function answered(me: Deleter, { mistake }: Rules): Deleter {
  const { list, erasedAtAnswer, attemptsLeft } = me
  if (me.cursor !== allUsers) return { ...me, at: 'reporting' }
  const isShorter = !me.isWhole && sizeOf(list | erasedAtAnswer) < me.counted
  if (isShorter && mistake !== 'it sends a shorter answer')
    return { ...client(attemptsLeft), at: attemptsLeft > 0 ? 'idle' : 'gave up' }
  return { ...client(attemptsLeft), at: 'received the list', list, erasedAtAnswer }
}
