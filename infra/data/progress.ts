import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import type { Clock } from '../../lib/time.ts'

/** Prints a line for people, on standard error. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** Writes to standard output, and waits until it is written. An error ends the process. */
export const write = (text: string): Promise<void> =>
  new Promise(resolve => {
    process.stdout.write(text, error => {
      if (!error) resolve()
    })
  })

/**
 * Runs a phase of a command.
 *
 * @param work gets a function that it calls with the number of things done since the last call
 */
export type ShowPhase = <T>(label: string, work: (advance: (by: number) => void) => Promise<T>) => Promise<T>

const everyMs = 10_000

/** Says every ten seconds how much of a phase is done, until its work has ended. */
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

/** A few: changes of one provider's users meet in its count. */
const batchesAtOnce = 4

/** Works on all of a list in batches, a few at once, as a phase with its progress. */
export const inBatches = <T>(
  phase: ShowPhase,
  label: string,
  list: readonly T[],
  size: number,
  work: (batch: T[]) => Promise<void>,
): Promise<void> =>
  phase(label, advance =>
    forEachConcurrently(chunk(list, size), batchesAtOnce, async batch => {
      await work(batch)
      advance(batch.length)
    }),
  )
