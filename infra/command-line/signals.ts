/**
 * Calls `stop` once, at the first signal by which a terminal or a process manager ends a command, or when the shell
 * that npm started has ended without passing a signal on.
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
