/** Ends a command with one sentence for whoever typed it. */
export function refuse(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
