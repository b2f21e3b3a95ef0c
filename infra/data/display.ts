import { systemClock } from '../../lib/time.ts'
import { waitingFor } from './waiting.ts'

/** @param by additional work done, in the unit of the phase's total */
type Advance = (by: number) => void

/**
 * Shows the progress of a phase of a command until its work has ended; one phase at a time.
 *
 * @param total in any unit; undefined shows the number so far
 */
export type ShowPhase = <T>(
  label: string,
  total: number | undefined,
  work: (advance: Advance) => Promise<T>,
) => Promise<T>

/** The messages and the progress of a command, on standard error. */
export interface Display {
  say(line: string): void
  phase: ShowPhase
}

/** Returns to the start of the terminal's line and erases it. */
const erase = '\r\x1b[K'

/**
 * On a terminal, progress is a line that is written again ten times a second; else it is a line every five seconds. It says
 * what the command waits for.
 *
 * @param stream a stream that is a terminal, or not
 * @param waiting what the command waits for; undefined: nothing
 */
export function openDisplay(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  clock = systemClock,
  waiting: (nowMs: number) => string | undefined = waitingFor,
): Display {
  const pauseMs = stream.isTTY ? 100 : 5000
  let current = ''
  const say = (line: string) => void stream.write(stream.isTTY ? `${erase}${line}\n${current}` : `${line}\n`)
  const show = (text: string) => {
    if (!stream.isTTY) return say(text)
    current = text
    stream.write(`${erase}${text}`)
  }
  return {
    say,
    async phase(label, total, work) {
      const startMs = clock.nowMs()
      let done = 0
      const tell = () => {
        const nowMs = clock.nowMs()
        show(`${label}: ${progressOf(done, total, nowMs - startMs, waiting(nowMs))}`)
      }
      const next = () =>
        clock.schedule(clock.nowMs() + pauseMs, () => {
          tell()
          cancel = next()
        })
      let cancel = next()
      try {
        return await work(by => {
          done += by
        })
      } finally {
        cancel()
        if (stream.isTTY) stream.write(erase)
        current = ''
      }
    },
  }
}

/** Such as `25 %, 15 s left`. */
function progressOf(
  done: number,
  total: number | undefined,
  elapsedMs: number,
  waitsFor: string | undefined,
) {
  const reason = waitsFor === undefined ? '' : `, waiting: ${waitsFor}`
  if (total === undefined) return `${done}${reason}`
  const share = total === 0 ? 1 : done / total
  const left = share === 0 ? '' : `, ${Math.ceil((elapsedMs / 1000) * (1 / share - 1))} s left`
  return `${Math.floor(100 * share)} %${reason || left}`
}
