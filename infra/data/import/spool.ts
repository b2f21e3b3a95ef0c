import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Item } from '../../../lib/store/items.ts'
import { lineSplitter } from '../records/split-lines.ts'

/** A checked user of the input, as it will be stored. */
export interface UserEntry {
  place: string
  item: Item
}

/** Checked users, until it is known which of them can be written. */
export type Spool = ReturnType<typeof openSpool>

const chunkSize = 25
const pendingMax = 64 * 1024

/**
 * Opens a spool in a temporary file. The file has no name, so that the system deletes it when the process ends in any way.
 *
 * @throws Error of one sentence when the disk is full
 */
export function openSpool() {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  const fd = openSync(join(folder, 'users'), 'wx+', 0o600)
  rmSync(folder, { recursive: true })
  let pending = ''
  let size = 0
  const flush = () => {
    appendTo(fd, pending)
    pending = ''
  }

  return {
    add(user: UserEntry) {
      pending += `${JSON.stringify(user)}\n`
      size += 1
      if (pending.length > pendingMax) flush()
    },
    /** The number of added users. */
    size: () => size,
    /**
     * The selected users, 25 at a time.
     *
     * @param isMeant called once for every user, in their order
     * @param advance called with the number of users read
     */
    async *chunks(isMeant: (user: UserEntry) => boolean, advance: (users: number) => void) {
      flush()
      const { push } = lineSplitter()
      let chunk: UserEntry[] = []
      for await (const bytes of createReadStream('', { fd, start: 0, autoClose: false })) {
        const pieces = push(bytes)
        advance(pieces.length)
        for (const piece of pieces) {
          const user = JSON.parse(String('bytes' in piece && piece.bytes)) as UserEntry
          if (isMeant(user)) chunk.push(user)
          if (chunk.length < chunkSize) continue
          yield chunk
          chunk = []
        }
      }
      if (chunk.length > 0) yield chunk
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

/**
 * @internal
 * @throws Error of one sentence when the disk is full
 */
export function appendTo(file: number, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOSPC', 'EDQUOT'].includes(code)) throw error
    throw new Error(
      `The checked users are kept in ${tmpdir()} until all are checked, and the disk is full there: free some space, or set TMPDIR to a folder on another disk.`,
    )
  }
}
