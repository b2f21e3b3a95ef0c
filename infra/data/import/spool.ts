import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Links } from '../../../lib/domain/provider.ts'
import { linksOf } from '../../../lib/store/items.ts'
import { lineSplitter } from '../records/lines.ts'
import type { CheckedRecord } from './checked-record.ts'

/** Checked users, until it is known which of them can be written. */
export type Spool = ReturnType<typeof openSpool>

/** Of users with one provider in the table, the most that one transaction of 100 actions can write. */
const chunkSize = 49
const pendingMax = 64 * 1024
const readSize = 64 * 1024

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
  const ids = new Set<string>()
  const linksInUse = new Map<string, { links: Links; users: number }>()
  const flush = () => {
    appendTo(
      fd,
      pending,
      `The checked users are kept in ${tmpdir()} until all are checked, and the disk is full there: free some space, or set TMPDIR to a folder on another disk.`,
    )
    pending = ''
  }

  const read = (at: number) => {
    const buffer = Buffer.alloc(readSize)
    return buffer.subarray(0, readSync(fd, buffer, 0, readSize, at))
  }

  return {
    /** @returns false when a user with this id has been added before */
    add(id: string, user: CheckedRecord): boolean {
      if (ids.has(id)) return false
      // A copy: the id is a part of the text that was read, and would keep all of it in memory.
      ids.add(Buffer.from(id).toString())
      pending += `${JSON.stringify(user)}\n`
      const links = linksOf(user.item)
      const key = JSON.stringify(links)
      linksInUse.set(key, { links, users: (linksInUse.get(key)?.users ?? 0) + 1 })
      if (pending.length > pendingMax) flush()
      return true
    },
    /** The number of added users. */
    size: () => ids.size,
    has: (id: string) => ids.has(id),
    /** The number of added users with the same links. */
    links: () => linksInUse.values(),
    /** The users in their order, 49 at a time. @param advance called with the number of users read */
    async *chunks(advance: (users: number) => void) {
      flush()
      const { push } = lineSplitter()
      let chunk: CheckedRecord[] = []
      // Not a stream: one that is left before its end closes the file, whatever `autoClose` says.
      for (let at = 0, bytes = read(at); bytes.length > 0; bytes = read(at)) {
        at += bytes.length
        const lines = push(bytes)
        advance(lines.length)
        for (const line of lines) {
          chunk.push(JSON.parse(String(line)))
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

/** @throws Error `full` when the disk is full */
export function appendTo(file: number, text: string, full: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOSPC', 'EDQUOT'].includes(code)) throw error
    throw new Error(full)
  }
}
