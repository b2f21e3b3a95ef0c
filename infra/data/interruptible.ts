import { onInterrupt } from '../command-line/signals.ts'

const interruptedCode = 130

/**
 * Runs work that the first Ctrl-C, or another signal that ends a command, ends cleanly.
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
    process.stderr.write('Interrupted: nothing is half done. The same command goes on from here.\n')
    return interruptedCode
  }
}
