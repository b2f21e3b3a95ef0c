import { defineCommand } from '../command-line/command.ts'
import { Interrupted, onInterrupt } from '../command-line/signals.ts'
import { tableVariables } from './open-data.ts'
import { write } from './progress.ts'

/** Defines a subcommand of `npm run data` for one table. */
export const defineDataCommand = (name: string, purpose: string, example: string) =>
  defineCommand(name, {
    purpose,
    variables: tableVariables,
    example: `npm run --silent data -- ${name} --table saml-providers-prod${example}`,
  }).requiredOption('--table <NAME>', 'Required: the table, which is the output TableName of the deployment.')

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
