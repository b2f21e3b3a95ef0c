import { sentenceOf } from './sentence-of.ts'

/** The exit code of a program that the signal SIGPIPE ended. */
const brokenPipeCode = 141

// The reader of a pipe may close it early, as `head` does. The command has not ended its work then.
for (const [path, stream] of [
  ['Standard output', process.stdout],
  ['Standard error', process.stderr],
] as const)
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(brokenPipeCode)
    throw Object.assign(error, { path })
  })

/** Prints a line on standard output. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints one sentence and exits, with 1 unless another exit code of failure is set. */
export function exitWith(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? sentenceOf(error) : error}\n`)
  process.exit(process.exitCode || 1)
}
