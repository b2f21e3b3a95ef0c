import { report } from '../command-line/output.ts'

const everyMs = 5000

/** Writes to standard output, and waits until it is written. An error ends the process. */
export function write(text: string): Promise<void> {
  return new Promise(resolve => {
    process.stdout.write(text, error => {
      if (!error) resolve()
    })
  })
}

/**
 * Reports every five seconds how much of some work is done, until its block ends.
 *
 * @param total the number of things to do; undefined when it is not known
 */
export function reportProgress(label: string, total?: number) {
  let done = 0
  const tell = () => report(`${label}: ${done}${total === undefined ? '' : ` of ${total}`}`)
  const timer = setInterval(tell, everyMs)
  return {
    advance(by: number) {
      done += by
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
