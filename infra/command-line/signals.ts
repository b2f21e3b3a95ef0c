const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** An interruption ended the work. Its message is a sentence. */
export class Interrupted extends Error {}

/** Calls `stop` at each signal that ends a command; npm and the terminal may both send one. @returns what ends this */
export function onInterrupt(stop: () => void): () => void {
  for (const signal of signals) process.on(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}
