import { onInterrupt } from '../command-line/signals.ts'
import { write } from './write.ts'

const interruptedCode = 130

/**
 * Runs work with a signal that aborts at the first Ctrl-C or another signal that ends a command.
 *
 * The exit code of the process will be the number that the work returns, else 0; after an interruption 130.
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const interruption = new AbortController()
  const end = onInterrupt(() => interruption.abort(new Error('interrupted')))
  try {
    const code = await work(interruption.signal)
    // A full disk or a closed pipe must end the process before this says that all is well.
    await write('')
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    process.stderr.write('Interrupted. Run the same command again.\n')
    process.exitCode = interruptedCode
  } finally {
    end()
  }
}
