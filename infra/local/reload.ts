import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface ReloadOptions {
  /** The sources, with all their subfolders. */
  folders: readonly string[]
  /** Their state when the loaded functions were built. */
  builtFrom: string
  /** @throws Error when the sources cannot be built */
  build(): Promise<unknown>
  /** @throws Error when the built functions cannot be loaded */
  load(): Promise<unknown>
  log(line: string): void
}

export interface Sources {
  /** Resolves when the loaded functions are those of the sources; also when an edit has failed. */
  current(): Promise<void>
  /** Ends it, and resolves when no build is running. */
  stop(): Promise<void>
}

/**
 * Builds and loads the functions again when a source has changed since the last request. When that fails, the loaded
 * functions stay.
 *
 * It compares the files themselves: a file watcher reports an edit only after the next requests have been answered.
 */
export function reloadOnChange({ folders, builtFrom, build, load, log }: ReloadOptions): Sources {
  let seen = builtFrom
  let isStopped = false
  let reloading: Promise<void> = Promise.resolve()

  const reload = async () => {
    const startMs = performance.now()
    try {
      await build()
      await load()
      log(`reload     the functions were loaded again after ${Math.round(performance.now() - startMs)} ms`)
    } catch (error) {
      log(`reload     failed, the last functions stay: ${(error as Error).message}`)
    }
  }
  return {
    current() {
      const state = isStopped ? seen : stateOf(folders)
      if (state !== seen) reloading = reloading.then(reload)
      seen = state
      return reloading
    },
    stop() {
      isStopped = true
      return reloading
    },
  }
}

/** A text that differs when a source was changed, added or removed. */
export function stateOf(folders: readonly string[]): string {
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
