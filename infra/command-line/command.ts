import { parseArgs } from 'node:util'
import { helpOf } from './help.ts'
import { refuse } from './refuse.ts'

export interface Option {
  type: 'string' | 'boolean'
  short?: string
  multiple?: boolean
  default?: string
  /** The placeholder of the value in the help, such as `SECONDS`. */
  value?: string
  /** What the option does, with unit and range; the help adds the default. */
  description: string
}

type Options = Record<string, Option>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O; strict: true }>>['values']

/** A command: an npm script, or a subcommand of one. */
export interface Command<O extends Options = Options> {
  /** What a person types before the options, such as `npm run --silent token --`. */
  name: string
  /** One sentence. */
  purpose: string
  options?: O
  /** The placeholder of its positional arguments, such as `FILE…`; without it they are refused. */
  positionals?: string
  /** The environment variables that it reads, each with a description. */
  variables?: Record<string, string>
  /** A complete command line. */
  example: string
  /** The exit code of a failure; 1 by default. */
  failureCode?: number
  /** @returns the exit code; anything but a number is success */
  run(values: Values<O>, positionals: string[]): unknown
}

/** Returns the command; infers the types of `run`'s values from its options. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command

/** Runs the command with its arguments; `--help` prints the help, and an error prints one sentence and exits with 1. */
export async function runCommand<const O extends Options>(
  command: Command<O>,
  args = process.argv.slice(2),
): Promise<void> {
  const fail = (error: unknown) => refuse(error, command.failureCode)
  process.on('uncaughtException', fail)
  try {
    if (args.includes('--help')) return void process.stdout.write(helpOf(command as unknown as Command))
    const { values, positionals } = parse(command, args)
    const result = await command.run(values, positionals)
    if (typeof result === 'number') process.exitCode = result
  } catch (error) {
    fail(error)
  }
}

/** Runs the subcommand that the first argument names, such as `affected` in `npm run data -- affected`. */
export async function runSubcommand(
  name: string,
  purpose: string,
  commands: readonly Command[],
  [typed, ...args] = process.argv.slice(2),
): Promise<void> {
  const list = commands
    .map(each => `  ${each.name.slice(name.length + 1).padEnd(12)} ${each.purpose}\n`)
    .join('')
  const usage = `${purpose}\n\nUsage: ${name} COMMAND [OPTION…]\n\nCommands:\n${list}\nCOMMAND --help prints its options.\n`
  if (typed === '--help') return void process.stdout.write(usage)
  const command = commands.find(each => each.name === `${name} ${typed}`)
  if (command !== undefined) return runCommand(command, args)
  refuse(
    `${typed === undefined ? 'The command is missing.' : `There is no command ${typed}.`}\n\n${usage.trim()}`,
  )
}

function parse<const O extends Options>({ options, positionals, name }: Command<O>, args: string[]) {
  try {
    return parseArgs<{ args: string[]; options: O; strict: true; allowPositionals: boolean }>({
      args,
      options: (options ?? {}) as O,
      strict: true,
      allowPositionals: positionals !== undefined,
    })
  } catch (error) {
    const [fault] = (error as Error).message.split(/\.?\n|\. |\.$/)
    throw new Error(`${fault}. ${name} --help lists the options.`)
  }
}
