import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { refuse } from './output.ts'

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
  const width = Math.max(...Object.keys(variables).map(({ length }) => length))
  const lines = Object.entries(variables).map(([variable, text]) => `\n  ${variable.padEnd(width)}  ${text}`)
  return new Command(name)
    .description(purpose)
    .helpOption('-h, --help', 'Prints this help.')
    .helpCommand(false)
    .showHelpAfterError('Run it with --help for its options.')
    .addHelpText('after', lines.length === 0 ? '' : `\nEnvironment variables:${lines.join('')}`)
    .addHelpText('after', `\nExample:\n  ${example}`)
}

/** Runs the command with its arguments. A failure prints one sentence, and its exit code is not 0. */
export async function runCommand(command: CommandUnknownOpts): Promise<void> {
  process.on('uncaughtException', refuse)
  await command.parseAsync().catch(refuse)
}
