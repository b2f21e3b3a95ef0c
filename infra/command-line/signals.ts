/**
 * Calls `stop` once: on SIGINT, SIGTERM or SIGHUP, or when npm's shell has exited without passing its signal on.
 */
export function onInterrupt(stop: () => void): void {
  let interrupted = false
  const interrupt = () => {
    if (interrupted) return
    interrupted = true
    stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  const shell = process.ppid
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => process.ppid !== shell && interrupt(), 500).unref()
}
