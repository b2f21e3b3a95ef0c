import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

export interface ReloadOptions {
  /** Watched with all their subfolders. */
  folders: readonly string[]
  /** @throws Error when the sources cannot be built */
  build(): Promise<unknown>
  /** @throws Error when the built functions cannot be loaded */
  load(): Promise<unknown>
  log(line: string): void
}

/** An editor saves in several steps, and may save several files: they cause one build. */
const settlingMs = 50

/**
 * Builds and loads the functions again when a file has changed. When that fails, the loaded functions stay.
 *
 * @returns a function that stops watching and resolves when no build is running
 */
export function reloadOnChange({ folders, build, load, log }: ReloadOptions): () => Promise<void> {
  let watchers: FSWatcher[] = []
  let settling: NodeJS.Timeout | undefined
  let reloading = Promise.resolve()
  let isWaiting = false

  const unwatch = () => {
    clearTimeout(settling)
    for (const watcher of watchers) watcher.close()
    watchers = []
  }
  // One watcher per folder, renewed after each change because folders may be added or removed: on Linux, Node's recursive
  // watcher misses later changes of a file that an editor has replaced.
  const watchAll = () => {
    unwatch()
    try {
      for (const folder of folders.flatMap(withSubfolders))
        watchers.push(watch(folder, settle).on('error', settle))
    } catch (error) {
      log(`reload     stopped, because files cannot be watched: ${(error as Error).message}`)
    }
  }
  const settle = () => {
    clearTimeout(settling)
    settling = setTimeout(() => {
      watchAll()
      if (isWaiting) return
      isWaiting = true
      reloading = reloading.then(reload)
    }, settlingMs)
  }
  const reload = async () => {
    isWaiting = false
    const startMs = performance.now()
    try {
      await build()
      await load()
      log(`reload     the functions were loaded again after ${Math.round(performance.now() - startMs)} ms`)
    } catch (error) {
      log(`reload     failed, the last functions stay: ${(error as Error).message}`)
    }
  }

  watchAll()
  return () => {
    unwatch()
    return reloading
  }
}

const withSubfolders = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name)),
]
