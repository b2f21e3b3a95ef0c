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
 * Reports every five seconds how much of some work is done.
 *
 * @param total the number of things to do; undefined when it is not known
 * @param work gets a function that it calls with the number of things done since the last call
 */
export async function withProgress<T>(
  label: string,
  total: number | undefined,
  work: (advance: (by: number) => void) => Promise<T>,
): Promise<T> {
  let done = 0
  const tell = () => report(`${label}: ${done}${total === undefined ? '' : ` of ${total}`}`)
  const timer = setInterval(tell, everyMs)
  try {
    return await work(by => {
      done += by
    })
  } finally {
    clearInterval(timer)
  }
}
