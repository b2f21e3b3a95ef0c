import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import type { Told } from './report.ts'
import { appendTo } from './spool.ts'

/**
 * Opens a new file for the records that are not in the table as they were read: one JSON object a line, with the place, the
 * reason and the record. When the records are mended, `import` reads them from there. A file without records is deleted.
 *
 * @throws Error of one sentence when the file exists, or of the file system, with its path
 */
export function openRefused(path: string) {
  // A terminal, a pipe and the like exist already, and keep no records of an import before.
  const isNew = statSync(path, { throwIfNoEntry: false })?.isFile() !== false
  const fd = isNew ? create(path) : openSync(path, 'w')
  let isEmpty = true
  return {
    add({ place, outcome, given: record }: Told) {
      if (outcome.is !== 'refused' && outcome.is !== 'differs') return
      const fault =
        outcome.is === 'refused' ? outcome.reason : `the table differs in ${outcome.fields.join(', ')}`
      isEmpty = false
      appendTo(fd, path, `${JSON.stringify({ place, fault, record })}\n`)
    },
    [Symbol.dispose]: () => {
      closeSync(fd)
      if (isNew && isEmpty) rmSync(path)
    },
  }
}

/** Creates a file that only its owner can read: it contains people's data. */
function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`${path} exists and may have records to mend: name another file for --refused.`)
  }
}
