import { closeSync, openSync, statSync } from 'node:fs'
import type { Told } from './report.ts'
import { appendTo } from './spool.ts'

/**
 * Opens a file for the records that are not in the table as they were read: one JSON object a line, with the place, the reason
 * and the record. When the records are mended, `import` reads them from there.
 *
 * @param inputs the files to import; none of them is overwritten
 * @throws Error of one sentence, or of the file system, with its path
 */
export function openRefused(path: string, inputs: readonly string[]) {
  const [existing, ...others] = [path, ...inputs].map(file => statSync(file, { throwIfNoEntry: false }))
  if (existing && others.some(input => input?.ino === existing.ino && input.dev === existing.dev))
    throw new Error(`${path} is one of the files to import: name another one.`)
  // It contains people's data.
  const fd = openSync(path, 'w', 0o600)
  return {
    add({ place, outcome, given: record }: Told) {
      if (outcome.is !== 'refused' && outcome.is !== 'differs') return
      const fault =
        outcome.is === 'refused' ? outcome.reason : `the table differs in ${outcome.fields.join(', ')}`
      appendTo(fd, path, `${JSON.stringify({ place, fault, record })}\n`)
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}
