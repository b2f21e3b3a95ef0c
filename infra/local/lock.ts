import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const busy = 5 // SQLITE_BUSY

/**
 * Acquires the lock of a folder: two processes that use one data folder would destroy it. SQLite locks its file by the
 * operating system, which releases the lock of a crashed process.
 *
 * @returns a function that releases the lock
 * @throws Error of one sentence when another holder has the lock
 */
export function acquireLock(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  accessSync(folder, constants.W_OK) // its error names the folder; SQLite's does not
  const file = new DatabaseSync(join(folder, 'in-use'))
  try {
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new Error(`The data in ${folder} is in use by another process: stop that process first.`)
  }
  return () => file.close()
}
