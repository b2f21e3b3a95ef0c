import { type ParseArgsConfig, parseArgs } from 'node:util'

type Spec = NonNullable<ParseArgsConfig['options']>

// Whoever reads may have seen enough, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

/** Ends a command with one sentence for whoever typed it. */
export function refuse(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}

/** @returns what is read; a fault in it ends the command */
export function orRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    return refuse(error)
  }
}

/**
 * What was typed after the command's name.
 *
 * @param usage the options in words
 * @throws Error that names what is no option, and then those that are
 */
export function options<const S extends Spec>(spec: S, usage: string, args = process.argv.slice(2)) {
  try {
    return parseArgs<{ args: string[]; options: S; strict: true }>({ args, options: spec, strict: true })
      .values
  } catch (error) {
    const [fault] = (error as Error).message.split(/\.?\n|\. |\.$/)
    throw new Error(`${fault}. Options: ${usage}.`)
  }
}
