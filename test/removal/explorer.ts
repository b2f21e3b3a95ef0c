import type { Scheduler } from 'fast-check'
import { Failure } from '../../lib/domain/failure.ts'
import { timeLimit } from '../../lib/time.ts'
import {
  Crash,
  crashes,
  edits,
  type Fated,
  type FateName,
  type Fates,
  fatesOf,
  namesOf,
  passing,
  stalls,
} from './fates.ts'
import { type Call, withoutPlan, withPlan } from '../support/test-client.ts'
import { type Writer, lateReads, whileReactivated, writers } from './others.ts'
import { watch } from './promises.ts'
import type { Scenario } from './scenario.ts'

/** A DELETE or a run of the scheduled function, with what happens to its calls; a DELETE without faults by default. */
export interface Attempt {
  by?: 'the scheduled function'
  fates?: Fated[]
}

export interface Schedule {
  /** What each process does, one step after another; the last DELETE of a client must be without fates. */
  processes: (Attempt | Writer)[][]
  /** The order of the calls of several processes, one at a time. */
  order?: Scheduler
  /** Whether calls that are done late are done after the last step, instead of after their attempt. */
  isLateLast?: boolean
  /** How long Queries show what other writers change as it was before, in milliseconds. */
  lateMs?: number
  /** Gets each call that an attempt sends. */
  onCall?: (call: Call, by: Attempt['by']) => void
}

/** The failures that an interrupted DELETE may answer. */
const interruptions = ['wait_expired', 'removal_unfinished', 'table_busy']
/** Longer than all pauses of a removal with two faults. */
const budgetMs = 10_000

/**
 * Runs the processes of a schedule, and verifies the promises of the removal after each step.
 *
 * @returns whether each fate of the schedule has happened, and every broken promise
 */
export async function explore(scenario: Scenario, schedule: Schedule) {
  const { processes, order, isLateLast = false, lateMs = 0, onCall } = schedule
  const late = lateReads(scenario, lateMs)
  const history = watch(scenario)
  const others = writers(scenario, history)
  const { exclusively, observe } = inTurn(order, history)
  const all: Fates[] = []

  async function attempt({ by, fates: fated = [] }: Attempt) {
    const isRun = by === 'the scheduled function'
    const { clock } = scenario
    const limit = timeLimit(clock, clock.nowMs() + budgetMs, () => new Failure('wait_expired'))
    const signal = fated.length > 0 ? limit.signal : undefined
    const fates = fatesOf(fated, {
      clock,
      signal: limit.signal,
      whileReactivated: send => withoutPlan(() => whileReactivated(scenario, history, send)),
    })
    all.push(fates)
    try {
      await withPlan(
        call => {
          const send: Call['send'] = async body => {
            onCall?.(call, by)
            return late.asRead(call, await exclusively(() => late.commit(call, body)))
          }
          return fates.plan({ ...call, send })
        },
        async () => {
          if (isRun) return void (await scenario.run({ signal, olderThanMs: -1 }))
          history.answered(await scenario.attempt(signal))
        },
      )
    } catch (error) {
      const isInterrupted = error instanceof Failure && interruptions.includes(error.code)
      if (!(error instanceof Crash || (isInterrupted && fated.length > 0))) throw error
    } finally {
      limit.end(new Failure('wait_expired'))
    }
    if (fates.sentLate() > 0) history.breaks('a call is sent after the time is over')
    if (
      isRun &&
      fated.length === 0 &&
      order === undefined &&
      (await scenario.state()).provider?.state === 'removing'
    )
      history.breaks('the scheduled function does not finish the removal')
    return fates
  }

  async function play(steps: (Attempt | Writer)[]) {
    for (const step of steps) {
      const fates =
        typeof step === 'string'
          ? // A writer waits, too, when it shares the pace of an attempt that was throttled.
            void (await scenario.clock.moving(
              withPlan(call => exclusively(() => late.commit(call)), others[step]),
            ))
          : await attempt(step)
      await observe()
      if (!isLateLast) await fates?.release()
    }
    for (const fates of all) await fates.release()
  }

  await history.observe()
  const played = Promise.all(processes.map(play))
  await (order?.waitFor(played) ?? played)
  const clients = processes.filter(steps => steps.some(step => typeof step === 'object' && !step.by)).length
  return { happened: all.every(fates => fates.happened()), broken: await history.end(clients) }
}

/** Runs actions one at a time in an order, and observes the table after each until the removal has begun. */
function inTurn(order: Scheduler | undefined, { observe, hasBegun }: ReturnType<typeof watch>) {
  if (order === undefined) return { observe, exclusively: <T>(action: () => Promise<T>) => action() }
  let before: Promise<unknown> = Promise.resolve()
  const exclusively = async <T>(action: () => Promise<T>): Promise<T> => {
    await order.schedule(Promise.resolve())
    const running = before.then(action)
    before = running.catch(() => {}).then(() => (hasBegun() ? undefined : withoutPlan(observe)))
    await before
    return running
  }
  return { observe: () => exclusively(observe), exclusively }
}

export const isFull = Boolean(process.env.TEST_FULL)
/** The time limit of the longest explorations, for a busy machine; it ends what hangs. */
export const exploringMaxMs = 600_000
export const crashNames = namesOf(crashes)
export const faultNames: FateName[] = [...namesOf(passing), ...namesOf(edits), ...namesOf(stalls)]

/** What follows an attempt to which something happens. */
export type Plan = (fated: Fated) => Schedule

export const thenDelete: Plan = fated => ({ processes: [[{ fates: [fated] }, 'move', {}]] })
/** Calls that are done late are done after the second DELETE. */
export const doneLast: Plan = fated => ({ ...thenDelete(fated), isLateLast: true })

/** The end of the retention becomes unreadable; after the next DELETE calls are done that are late. */
export const spoiled: Plan = fated => ({ processes: [[{ fates: [fated] }, 'spoil', {}]], isLateLast: true })

/** Lets each of these fates happen at each call of a scenario. @returns how often, and the first promises that are broken */
export async function explored(names: FateName[], plan: Plan, scenario: () => Promise<Scenario>) {
  let count = 0
  for (const name of names)
    for (let n = 1; ; n++) {
      const { happened, broken } = await explore(await scenario(), plan([name, n]))
      if (!happened) break
      count += 1
      if (broken.length > 0) return { count, broken: broken.map(promise => `call ${n} ${name}: ${promise}`) }
    }
  return { count, broken: [] }
}

/** A lookup, a list and an end; per 49 users a transaction. */
export const callsMin = (users: number) => 3 + Math.ceil(users / 49)
