import { constants, createReadStream, openSync, type Stats, statSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** A file, a pipe or standard input. */
export interface Source {
  name: string
  /** Whether it can be opened again. */
  isLasting: boolean
  open(): Readable
}

/** Other names of standard input. */
const stdinNames = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']

/**
 * Finds the sources, before any is read.
 *
 * @param stdin default: that of the process
 * @throws Error of the file system, with its path
 */
export const findSources = (files: readonly string[], stdin?: Readable): Source[] =>
  files.map(file => {
    if (stdinNames.includes(file))
      return { name: 'standard input', isLasting: false, open: () => stdin ?? process.stdin }
    const stat = statSync(file)
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: file })
    const open = () => (stat.isFIFO() ? openPipe(file) : openFile(file, stat))
    return { name: file, isLasting: stat.isFile(), open }
  })

/** Opens a file that an import reads more than once: it writes only what it has compared. */
function openFile(path: string, { size, mtimeMs }: Stats): Readable {
  const now = statSync(path)
  if (now.size !== size || now.mtimeMs !== mtimeMs)
    throw new Error(`${path} has changed while it was read: run the command again.`)
  return createReadStream(path)
}

/** Opens a named pipe; a file stream would wait for its writer where nothing can interrupt it. */
function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}
