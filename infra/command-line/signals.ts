/** What an interruption stops; the last one is the innermost. */
const interruptions: (() => void)[] = []

/** An interruption ended the work. Its message is a sentence. */
export class Interrupted extends Error {}

/**
 * Calls `stop` once: on SIGINT, SIGTERM or SIGHUP, or when npm's shell has exited without passing its signal on. A later
 * call, until it ends, takes the interruption in place of this one, because npm and the terminal may both send it.
 *
 * @returns a function that ends this
 */
export function onInterrupt(stop: () => void): () => void {
  const interrupt = () => {
    if (interruptions.at(-1) !== interrupt) return
    interruptions.length = 0
    stop()
  }
  interruptions.push(interrupt)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  const shell = process.ppid
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined
  const look = setInterval(() => isUnderNpm && process.ppid !== shell && interrupt(), 500).unref()
  return () => {
    clearInterval(look)
    for (const signal of signals) process.off(signal, interrupt)
    const at = interruptions.indexOf(interrupt)
    if (at !== -1) interruptions.splice(at, 1)
  }
}
