import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Acquires the lock of a folder: two processes that use one data folder would destroy it.
 *
 * @returns a function that releases the lock; the lock of a crashed process does not count
 * @throws Error of one sentence when another running process has the lock
 */
export function acquireLock(folder: string): () => void {
  const path = join(folder, 'used-by')
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const user = Number(readFileSync(path, 'utf8'))
    if (isAlive(user))
      throw new Error(`The data in ${folder} is in use by process ${user}: stop that process first.`)
    writeFileSync(path, String(process.pid))
  }
  return () => rmSync(path, { force: true })
}

function isAlive(processId: number): boolean {
  try {
    return processId > 0 && process.kill(processId, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
