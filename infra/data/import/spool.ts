import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Item } from '../../../lib/store/items.ts'

/** A checked record of the input. */
export interface CheckedRecord {
  place: string
  /** As it will be stored. */
  item: Item
  /** The fields that it does not mention. */
  leftOut: string[]
  /** The line as it was read; undefined when nobody asked for it. */
  text?: string | undefined
}

/** Checked users, until it is known which of them can be written. */
export type Spool = ReturnType<typeof openSpool>

/** Of users with one provider in the table, the most that two transactions of 100 actions can write. */
const chunkSize = 98

/** Opens a spool in a temporary file. It has no name, so that the system deletes it when the process ends in any way. */
export function openSpool() {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  const fd = openSync(join(folder, 'users'), 'wx+', 0o600)
  rmSync(folder, { recursive: true })
  const ids = new Set<string>()
  const chunkBytes: number[] = []
  let pending: CheckedRecord[] = []
  const flush = () => {
    if (pending.length === 0) return
    const text = Buffer.from(JSON.stringify(pending))
    appendTo(fd, `The temporary file in ${tmpdir()} (TMPDIR)`, text)
    chunkBytes.push(text.length)
    pending = []
  }

  return {
    /** @returns false when a user with this id has been added before */
    add(id: string, user: CheckedRecord): boolean {
      if (ids.has(id)) return false
      // A copy: the id is a part of the text that was read, and would keep all of it in memory.
      ids.add(Buffer.from(id).toString())
      if (pending.push(user) === chunkSize) flush()
      return true
    },
    /** The number of added users. */
    size: () => ids.size,
    has: (id: string) => ids.has(id),
    /** The users in their order, 98 at a time. */
    *chunks(): Generator<CheckedRecord[]> {
      flush()
      let at = 0
      for (const bytes of chunkBytes) {
        const text = Buffer.alloc(bytes)
        // What is missing is zero bytes, which JSON.parse refuses: nobody is lost in silence.
        readSync(fd, text, 0, bytes, at)
        yield JSON.parse(String(text))
        at += bytes
      }
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

/** Appends to an open file. @param path its name in an error, such as that of a full disk */
function appendTo(fd: number, path: string, text: string | Buffer): void {
  try {
    writeFileSync(fd, text)
  } catch (error) {
    throw Object.assign(error as Error, { path })
  }
}
