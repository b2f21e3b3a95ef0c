import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes this process the only one that uses a folder of kept data: two would ruin it.
 *
 * @returns what gives the folder up; a process that crashed gave it up, too
 * @throws Error of one sentence, when another process that is alive uses it
 */
export function claim(folder: string): () => void {
  const path = join(folder, 'used-by')
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const user = Number(readFileSync(path, 'utf8'))
    if (isAlive(user))
      throw new Error(`The data in ${folder} is in use by process ${user}: end that one first.`)
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
