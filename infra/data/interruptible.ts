import { onInterrupt } from '../command-line/signals.ts'

const interruptedCode = 130

/**
 * Runs work with a signal that aborts at the first Ctrl-C or another signal that ends a command.
 *
 * @returns the work's exit code, or 130 after an interruption
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const interruption = new AbortController()
  onInterrupt(() => interruption.abort(new Error('interrupted')))
  try {
    return await work(interruption.signal)
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    process.stderr.write('Interrupted. Run the same command again to continue.\n')
    return interruptedCode
  }
}
