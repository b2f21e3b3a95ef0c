import { clearLine, cursorTo } from 'node:readline'
import progress, { type GenericFormatter } from 'cli-progress'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'

/** Whether a bar is in the last line of the terminal. */
let isBarShown = false

/** Makes room for a line; the bar is drawn again below it. */
function clearBar() {
  if (!isBarShown || !process.stderr.isTTY) return
  clearLine(process.stderr, 0)
  cursorTo(process.stderr, 0)
}

/** Prints a line for people, on standard error. */
export function say(line: string): void {
  clearBar()
  process.stderr.write(`${line}\n`)
}

/** Writes to standard output, and waits until it is written. An error ends the process. */
export function write(text: string): Promise<void> {
  clearBar()
  return new Promise(resolve => {
    process.stdout.write(text, error => {
      if (!error) resolve()
    })
  })
}

/** Prints a line for programs, on standard output. */
export function print(line: string): void {
  clearBar()
  process.stdout.write(`${line}\n`)
}

/**
 * Runs a phase of a command.
 *
 * @param total the number of things to do; undefined when it is not known
 * @param work gets a function that it calls with the number of things done since the last call
 */
export type ShowPhase = <T>(
  label: string,
  total: number | undefined,
  work: (advance: (by: number) => void) => Promise<T>,
) => Promise<T>

/** Shows how much of a phase is done: a bar on a terminal, else a line every ten seconds. */
export const progressOn =
  (stream: NodeJS.WritableStream): ShowPhase =>
  async (label, total, work) => {
    // It leaves the lines above alone; a SingleBar moves the cursor back to where it began.
    const bars = new progress.MultiBar({
      stream,
      format: progressLine,
      linewrap: true,
      clearOnComplete: true,
      noTTYOutput: true,
      notTTYSchedule: 10_000,
      etaBuffer: 100,
    })
    const bar = bars.create(total ?? 0, 0, { label })
    isBarShown = true
    try {
      return await work(by => bar.increment(by))
    } finally {
      isBarShown = false
      bars.stop()
    }
  }

/** A line such as `users written: [====----] 4500 of 9000, 35s left`. */
const progressLine: GenericFormatter = (options, { value, total, progress: share, eta }, { label }) => {
  if (total === 0) return `${label}: ${value}`
  // The library says NULL or INF before it knows.
  const left = Number.isFinite(eta) && eta > 0 ? `, ${progress.Format.TimeFormat(eta, options, 5)} left` : ''
  return `${label}: [${progress.Format.BarFormat(share, options)}] ${value} of ${total}${left}`
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
  phase(label, list.length, advance =>
    forEachConcurrently(chunk(list, size), batchesAtOnce, async batch => {
      await work(batch)
      advance(batch.length)
    }),
  )
