import { realpathSync } from 'node:fs'
import { Command, CommanderError, type CommandUnknownOpts, Help } from '@commander-js/extra-typings'
import { lineOf, refuseIfKeptByNpm } from './kept-by-npm.ts'
import { exitWith } from './output.ts'

interface About {
  /** One sentence. */
  purpose: string
  /** A complete command line. */
  example: string
  /** The environment variables that it reads, each with a description. */
  variables?: Record<string, string>
}

/** Help that shows which options are required: in the usage, and in their descriptions. */
const { prototype: usual } = Help
const help: Partial<Help> = {
  commandUsage(command) {
    const required = command.options.filter(({ mandatory }) => mandatory)
    const flags = required.map(option => option.flags.replace(/^-\w, /, ''))
    return usual.commandUsage.call(this, command).replace('[options]', [...flags, '[options]'].join(' '))
  },
  optionDescription(option) {
    return `${option.mandatory ? 'Required. ' : ''}${usual.optionDescription.call(this, option)}`
  },
}

/**
 * Defines a command: an npm script, or a subcommand of one.
 *
 * @param name what a person types before the options, such as `npm run --silent token --`; of a subcommand its own name
 */
export function defineCommand(name: string, { purpose, example, variables = {} }: About) {
  const width = Math.max(...Object.keys(variables).map(({ length }) => length))
  const lines = Object.entries(variables).map(([variable, text]) => `\n  ${variable.padEnd(width)}  ${text}`)
  const command = new Command(name)
  return command
    .description(purpose)
    .configureHelp(help)
    .configureOutput({
      outputError(fault, print) {
        // Commander looks first for an option that is missing, which may be there with another spelling.
        const unknown = fault.startsWith('error: required option')
          ? command.args.find(word => /^--?[a-z]/i.test(word))
          : undefined
        print(unknown === undefined ? fault : fault.replace('error:', `error: unknown option '${unknown}';`))
        print(`Run \`${lineOf(command)} --help\` for its options.\n`)
      },
    })
    .helpOption('-h, --help', 'Prints this help.')
    .helpCommand(false)
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
  process.on('uncaughtException', exitWith)
  refuseIfKeptByNpm(command, process.argv.slice(2), process.env)
  await command.parseAsync().catch(error => {
    if (error instanceof CommanderError) process.exit(error.exitCode) // it has printed its sentence
    exitWith(error)
  })
}

/** Gives each error that nothing has caught to `take`, in place of ending the process with one sentence. */
export function onUncaught(take: (error: unknown) => void): void {
  process.off('uncaughtException', exitWith).on('uncaughtException', take)
}
