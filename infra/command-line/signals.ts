/**
 * Calls `stop` once: on SIGINT, SIGTERM or SIGHUP, or when npm's shell has exited without passing its signal on.
 *
 * @returns a function that ends this
 */
export function onInterrupt(stop: () => void): () => void {
  let interrupted = false
  const interrupt = () => {
    if (interrupted) return
    interrupted = true
    stop()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  const shell = process.ppid
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined
  const look = setInterval(() => isUnderNpm && process.ppid !== shell && interrupt(), 500).unref()
  return () => {
    clearInterval(look)
    for (const signal of signals) process.off(signal, interrupt)
  }
}
