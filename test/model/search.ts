import { crash, landings, withoutIneffective } from './crash.ts'
import { deleterSteps } from './deleter.ts'
import { brokenIn, type Invariant, canFinish } from './invariants.ts'
import { keyOf } from './key.ts'
import type { Rules } from './rules.ts'
import { client, type Deleter, isOver, type Process, type State, type Step } from './state.ts'
import { allVisible, visibilitySteps, writerSteps } from './writers.ts'

export interface Result {
  /** The number of states that were reached before a violation was found, or in total. */
  states: number
  violation?: { invariant: Invariant; trace: string[] }
}

/** All possible next steps: of each process, its crash, calls in flight and commits that become visible. */
function* steps(state: State, rules: Rules): Generator<Step> {
  for (const [index, process] of state.processes.entries())
    if (process.kind === 'deleter') {
      yield* deleterSteps(state, index, process, rules)
      yield* crash(state, index, process, rules)
    } else yield* writerSteps(state, index, process, rules)
  yield* landings(state, rules)
  yield* visibilitySteps(state)
}

/** Visits all reachable states, breadth first, so that the trace of a violation is as short as possible. */
export function search(initial: State, rules: Rules): Result {
  const seen = new Set<string>([keyOf(initial)])
  const ending = new Set<string>()
  const paths = { from: [-1], step: [-1] }
  let stuck: Result['violation']
  let level = [initial]
  for (let first = 0; level.length > 0; ) {
    const nextLevel: State[] = []
    for (const [offset, state] of level.entries()) {
      let number = 0
      for (const { next } of steps(state, rules)) {
        const reached = withoutIneffective(next)
        const key = keyOf(reached)
        const step = number++
        if (seen.has(key)) continue
        seen.add(key)
        paths.from.push(first + offset)
        paths.step.push(step)
        nextLevel.push(reached)
        const trace = () => traceTo(initial, rules, paths, seen.size - 1)
        const invariant = brokenIn(reached)
        if (invariant) return { states: seen.size, violation: { invariant, trace: trace() } }
        if (!stuck && !allEnd(reached, rules, ending))
          stuck = {
            invariant: canFinish,
            trace: [
              ...trace(),
              'an undisturbed client never receives a list, or an undisturbed run does not finish',
            ],
          }
      }
    }
    first += level.length
    level = nextLevel
  }
  return { states: seen.size, ...(stuck && { violation: stuck }) }
}

const isLive = (process: Process): process is Deleter => process.kind === 'deleter' && !isOver(process)

/** Whether each active client and run, and one of each that starts now, ends when nothing else happens. */
const allEnd = (state: State, rules: Rules, ending: Set<string>) =>
  [...state.processes.filter(isLive), client(1), client(1, true)].every(me =>
    endsUndisturbed(state, me, rules, ending),
  )

/**
 * Whether an undisturbed client without crashes receives a list, or 404 when TTL has begun to delete it, or an undisturbed
 * run finishes the removal.
 */
function endsUndisturbed(from: State, me: Deleter, rules: Rules, ending: Set<string>): boolean {
  const onTheWay = new Set<string>()
  let state: State = { ...allVisible(from), processes: [me] }
  for (let key = keyOf(state); !ending.has(key); key = keyOf(state)) {
    const [process] = state.processes
    if (process?.kind !== 'deleter' || onTheWay.has(key)) return false
    onTheWay.add(key)
    if (process.at === 'received the list' || (state.isExpiring && isOver(process))) break
    const [step] = deleterSteps(state, 0, process, rules)
    if (step === undefined && process.isScheduled && state.provider !== 'removing') break
    if (step === undefined) return false
    state = step.next
  }
  for (const key of onTheWay) ending.add(key)
  return true
}

/** The descriptions of the steps to a state. */
function traceTo(
  initial: State,
  rules: Rules,
  paths: { from: number[]; step: number[] },
  to: number,
): string[] {
  const numbers: number[] = []
  for (let at = to; at > 0; at = paths.from[at] ?? 0) numbers.unshift(paths.step[at] ?? 0)
  let state = initial
  return numbers.map(number => {
    const step = [...steps(state, rules)][number] as Step
    state = withoutIneffective(step.next)
    return step.says
  })
}
