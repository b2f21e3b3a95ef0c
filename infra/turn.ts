import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const pauseMs = 50

/**
 * Waits until no other process has its turn, and keeps it until this process ends.
 *
 * @param path the file that says whose turn it is; a process that crashed left it behind and has its turn no more
 */
export async function takeTurn(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  while (!claimed(path)) {
    if (!isAlive(ownerOf(path))) rmSync(path, { force: true })
    else await sleep(pauseMs)
  }
  process.on('exit', () => rmSync(path, { force: true }))
}

function claimed(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** @returns undefined while it is being written, or when it has just gone */
function ownerOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function isAlive(processId: number | undefined): boolean {
  if (processId === undefined) return true
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
