/** The exit code of a program that the signal SIGPIPE ended. */
const brokenPipeCode = 141

// The reader of a pipe may close it early, as `head` does. The command has not ended its work then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(brokenPipeCode)
  throw error
})

/** Prints a line on standard output. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints one sentence and exits, with 1 unless another exit code of failure is set. */
export function refuse(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? sentenceOf(error) : error}\n`)
  process.exit(process.exitCode || 1)
}

const remedies: Record<string, string> = {
  EACCES: 'it is not permitted; check its owner and permissions',
  EPERM: 'it is not permitted; check its owner and permissions',
  EROFS: 'its file system is read-only; choose another place',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
  ENOENT: 'it does not exist; check the path',
  ENOTDIR: 'a part of its path is not a folder; check the path',
  EISDIR: 'it is a folder; give the path of a file',
  EMFILE: 'too many files are open; raise the limit with ulimit -n',
}

/** For an error of the file system, the file and the remedy; for any other error, its message. */
function sentenceOf({ code = '', path, message }: NodeJS.ErrnoException): string {
  const remedy = remedies[code]
  return path === undefined || remedy === undefined ? message : `${path} cannot be used: ${remedy}.`
}
