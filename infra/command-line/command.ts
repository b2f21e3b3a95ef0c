import { realpathSync } from 'node:fs'
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { exitWith } from './output.ts'

interface About {
  /** One sentence. */
  purpose: string
  /** A complete command line. */
  example: string
  /** The environment variables that it reads, each with a description. */
  variables?: Record<string, string>
}

/**
 * Defines a command: an npm script, or a subcommand of one.
 *
 * @param name what a person types before the options, such as `npm run --silent token --`; of a subcommand its own name
 */
export function defineCommand(name: string, { purpose, example, variables = {} }: About) {
  const lines = Object.entries(variables).map(([variable, text]) => `\n  ${variable}  ${text}`)
  return new Command(name)
    .description(purpose)
    .helpOption('-h, --help', 'Prints this help.')
    .helpCommand(false)
    .showHelpAfterError('Add --help for the options.')
    .exitOverride()
    .addHelpText('after', lines.length === 0 ? '' : `\nEnvironment variables:${lines.join('')}`)
    .addHelpText('after', `\nExample:\n  ${example}`)
}

/**
 * Runs the command with the arguments of this process, if its file is the program of this process: another module may
 * import it. A failure prints one sentence, and its exit code is not 0.
 *
 * @param file of the command
 */
export async function runCommand(file: string, command: CommandUnknownOpts): Promise<void> {
  const [, program] = process.argv
  if (program === undefined || realpathSync(program) !== file) return
  await command.parseAsync().catch(error => {
    if (error instanceof CommanderError) process.exit(error.exitCode) // it has printed its sentence
    exitWith(error)
  })
}
