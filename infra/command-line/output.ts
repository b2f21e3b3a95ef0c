import { Interrupted } from './signals.ts'

/** The exit codes of a program that the signals SIGINT and SIGPIPE ended. */
const interruptedCode = 130
const brokenPipeCode = 141

// The reader of a pipe may close it early, as `head` does. The command has not ended its work then.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  error.code === 'EPIPE' ? process.exit(brokenPipeCode) : exitWith(error),
)

/** Prints a line on standard output. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints a line that only people read, on standard error. */
export const report = (line: string): void => void process.stderr.write(`${line}\n`)

/** Prints the message and exits: after an interruption with 130, else with the exit code of failure that is set, or 1. */
export function exitWith(error: Error): never {
  report(error.message)
  process.exit(error instanceof Interrupted ? interruptedCode : process.exitCode || 1)
}
