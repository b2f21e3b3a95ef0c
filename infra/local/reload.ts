import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

export interface ReloadOptions {
  /** Every file below them counts. */
  folders: readonly string[]
  /** @throws Error when the sources cannot be built */
  build(): Promise<unknown>
  /** @throws Error when what was built cannot be loaded */
  load(): Promise<unknown>
  log(line: string): void
}

/** An editor saves in several steps, and may save several files: one build serves them all. */
const settlingMs = 50

/**
 * Builds and loads the functions again when a file has changed. When either fails, the functions stay as they are.
 *
 * @returns what ends it, and resolves when nothing of it runs any more
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
  // Folder by folder, and anew after each change, when folders may have come or gone: Node's watching of a whole tree
  // misses, on Linux, the later changes of a file that an editor has replaced.
  const watchAll = () => {
    unwatch()
    try {
      for (const folder of folders.flatMap(withSubfolders))
        watchers.push(watch(folder, settle).on('error', settle))
    } catch (error) {
      log(`reload     no more, as files cannot be watched: ${(error as Error).message}`)
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
      log(`reload     the functions are new, after ${Math.round(performance.now() - startMs)} ms`)
    } catch (error) {
      log(`reload     failed, and the functions stay as they were: ${(error as Error).message}`)
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
