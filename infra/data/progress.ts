import { type Clock, systemClock } from '../../lib/time.ts'

/** Prints a line for people, on standard error. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)

/**
 * Runs a phase of a command.
 *
 * @param work gets a function that it calls with the number of things done since the last call
 */
export type ShowPhase = <T>(label: string, work: (advance: (by: number) => void) => Promise<T>) => Promise<T>

const everyMs = 10_000

/**
 * Says every ten seconds how much of a phase is done, until its work has ended.
 *
 * @internal
 */
export const progressOn =
  (print: (line: string) => void, clock: Clock): ShowPhase =>
  async (label, work) => {
    let done = 0
    let cancel = () => {}
    const next = () => {
      cancel = clock.schedule(clock.nowMs() + everyMs, () => {
        print(`${label}: ${done}`)
        next()
      })
    }
    next()
    try {
      return await work(by => {
        done += by
      })
    } finally {
      cancel()
    }
  }

export const showPhase = progressOn(say, systemClock)
