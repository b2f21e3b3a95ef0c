import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface Reloaded<T> {
  /** What the sources are now or, when they cannot be loaded, what was loaded last. */
  current(): Promise<T>
  /** Waits for a load that is running. */
  settled(): Promise<void>
}

/**
 * Loads sources, and loads them again at the first request after a change. When that fails, what was loaded last stays.
 *
 * It compares the files themselves: a file watcher reports an edit only after the next requests have been answered, and
 * `node --watch` misses a file that an editor replaces.
 *
 * @param folders of the sources, with all their subfolders
 * @throws Error when they cannot be loaded the first time
 */
export async function reloadOnChange<T>(
  folders: readonly string[],
  load: () => Promise<T>,
  log: (line: string) => void,
): Promise<Reloaded<T>> {
  let seen = stateOf(folders)
  let last: Promise<T> = Promise.resolve(await load())

  const reload = async (previous: T): Promise<T> => {
    const startMs = performance.now()
    try {
      const next = await load()
      log(`reload     the functions were loaded again after ${Math.round(performance.now() - startMs)} ms`)
      return next
    } catch (error) {
      log(`reload     failed, the last functions stay: ${(error as Error).message}`)
      return previous
    }
  }
  return {
    current() {
      const state = stateOf(folders)
      if (state !== seen) last = last.then(reload)
      seen = state
      return last
    },
    async settled() {
      await last
    },
  }
}

/** A text that differs when a source was changed, added or removed. */
function stateOf(folders: readonly string[]): string {
  const files = folders.flatMap(folder =>
    globSync('**/*.ts', { cwd: folder }).map(name => join(folder, name)),
  )
  return files.map(path => `${path} ${versionOf(path)}`).join('\n')
}

/** @returns an empty text for a file that has just been removed, or a link that leads nowhere */
function versionOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return ''
  }
}
