import { parseArgs } from 'node:util'
import { helpOf } from './help.ts'
import { refuse } from './refuse.ts'

export interface Option {
  type: 'string' | 'boolean'
  short?: string
  multiple?: boolean
  default?: string
  /** What stands for the value in the help, such as `SECONDS`. */
  value?: string
  /** What it does, with unit and range; the help adds the default. */
  description: string
}

type Options = Record<string, Option>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O; strict: true }>>['values']

/** A command as a person types it: an npm script, or a part of one. */
export interface Command<O extends Options = Options> {
  /** Up to its options, such as `npm run --silent token --`. */
  name: string
  /** One sentence. */
  purpose: string
  options?: O
  /** What its positional arguments are, such as `FILE…`; none when left out. */
  positionals?: string
  /** The environment variables that it reads, each with its meaning. */
  variables?: Record<string, string>
  /** What a person would type. */
  example: string
  /** @returns a number as the exit code; anything else is success */
  run(values: Values<O>, positionals: string[]): unknown
}

/** Infers the types of the values that `run` gets from the options. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command

/** Runs the command with what was typed; `--help` prints what it does, and a fault ends it with one sentence. */
export async function runCommand<const O extends Options>(
  command: Command<O>,
  args = process.argv.slice(2),
): Promise<void> {
  process.on('uncaughtException', refuse)
  try {
    if (args.includes('--help')) return void process.stdout.write(helpOf(command as unknown as Command))
    const { values, positionals } = parse(command, args)
    const result = await command.run(values, positionals)
    if (typeof result === 'number') process.exitCode = result
  } catch (error) {
    refuse(error)
  }
}

/** Runs the one of several commands that was typed first, such as `affected` in `npm run data -- affected`. */
export async function runSubcommand(
  name: string,
  purpose: string,
  commands: readonly Command[],
  [typed, ...args] = process.argv.slice(2),
): Promise<void> {
  const list = commands
    .map(each => `  ${each.name.slice(name.length + 1).padEnd(12)} ${each.purpose}\n`)
    .join('')
  const usage = `${purpose}\n\nUsage: ${name} COMMAND [OPTION…]\n\nCommands:\n${list}\nEach explains itself with --help.\n`
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
