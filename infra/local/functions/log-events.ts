/**
 * Hides what the functions log from now on, but errors. They share the standard output of this process, and write one JSON
 * object a line on it; only a process or thread of their own would have another.
 */
export function hideLogEvents(): void {
  const { stdout } = process
  const write = stdout.write.bind(stdout) as (...given: unknown[]) => boolean
  stdout.write = (line: unknown, ...more: unknown[]) =>
    /^\{"timestamp":.*"level":"(INFO|WARN)"/.test(String(line)) || write(line, ...more)
}
