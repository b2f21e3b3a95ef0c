import { MultiBar } from 'cli-progress'
import { type Clock, systemClock } from '../../lib/time.ts'

/** The progress of a phase of a command. */
export interface Progress {
  /** @param by additional work done, in the unit of the total */
  advance(by: number): void
  end(): void
}

/** The messages and the progress of a command, on standard error. */
export interface Display {
  say(line: string): void
  /**
   * Starts a phase; one at a time.
   *
   * @param total in any unit; without it, the number so far is shown
   */
  phase(label: string, total?: number): Progress
}

const pauseMs = 5000

/** A progress bar on a terminal, else a line every five seconds. */
export const openDisplay = (): Display =>
  process.stderr.isTTY ? bars() : lines(text => process.stderr.write(text), systemClock)

function bars(): Display {
  const format = '{label} [{bar}] {percentage} %, {eta_formatted} left'
  const multi = new MultiBar({
    stream: process.stderr,
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    hideCursor: true,
    // Its signal handler would end the process before the command has cleaned up.
    gracefulExit: false,
  })
  let running = 0
  return {
    say: line => void (running > 0 ? multi.log(`${line}\n`) : process.stderr.write(`${line}\n`)),
    phase(label, total) {
      const isKnown = total !== undefined
      const style = { format: isKnown ? format : '{label} {value}' }
      const bar = multi.create(total ?? 0, 0, { label: label.padEnd(14) }, style)
      running += 1
      return {
        advance: by => bar.increment(by),
        end() {
          bar.stop()
          running -= 1
          multi.update()
          multi.stop()
          multi.remove(bar)
        },
      }
    },
  }
}

/** A display without a terminal. */
export function lines(write: (text: string) => void, clock: Clock): Display {
  const say = (line: string) => write(`${line}\n`)
  return {
    say,
    phase(label, total) {
      let done = 0
      const state = () => (total === undefined ? done : `${Math.floor((100 * done) / (total || 1))} %`)
      const next = () =>
        clock.schedule(clock.nowMs() + pauseMs, () => {
          say(`${label}: ${state()}`)
          cancel = next()
        })
      let cancel = next()
      return {
        advance(by) {
          done += by
        },
        end: () => cancel(),
      }
    },
  }
}
