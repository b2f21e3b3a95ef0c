import { globSync, lstatSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Loads sources, and loads them again at the first request after a change. When that fails, what was loaded last stays.
 *
 * It compares the files themselves: a file watcher reports an edit only after the next requests have been answered, and
 * `node --watch` misses a file that an editor replaces.
 *
 * @param folders of the sources, with all their subfolders
 * @returns a function that resolves with what the sources are now or, when they cannot be loaded, with what was loaded last
 * @throws Error when they cannot be loaded the first time
 */
export async function reloadOnChange<T>(
  folders: readonly string[],
  load: () => Promise<T>,
  log: (line: string) => void,
): Promise<() => Promise<T>> {
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
  return () => {
    const state = stateOf(folders)
    if (state !== seen) last = last.then(reload)
    seen = state
    return last
  }
}

/** A text that differs when a source was changed, added or removed. */
const stateOf = (folders: readonly string[]): string =>
  folders
    .flatMap(folder => globSync('**/*.ts', { cwd: folder }).map(name => join(folder, name)))
    .map(path => {
      const state = lstatSync(path, { bigint: true, throwIfNoEntry: false }) // undefined: it has just been removed
      return `${path} ${state?.ino} ${state?.mtimeNs} ${state?.size}`
    })
    .join('\n')
