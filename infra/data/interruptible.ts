import { Interrupted, onInterrupt } from '../command-line/signals.ts'
import { write } from './write.ts'

/**
 * Runs work with a signal that aborts at the first Ctrl-C or another signal that ends a command.
 *
 * The exit code of the process will be the number that the work returns, else 0.
 *
 * @throws Interrupted after an interruption
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const interruption = new AbortController()
  const end = onInterrupt(() =>
    interruption.abort(new Interrupted('Interrupted. Run the same command again.')),
  )
  try {
    const code = await work(interruption.signal)
    // A full disk or a closed pipe must end the process before this says that all is well.
    await write('')
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (error) {
    throw interruption.signal.aborted ? interruption.signal.reason : error
  } finally {
    end()
  }
}
