import { watch } from 'chokidar'

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
 * @returns when all folders are watched: a function that stops watching and resolves when no build is running
 */
export async function reloadOnChange({
  folders,
  build,
  load,
  log,
}: ReloadOptions): Promise<() => Promise<void>> {
  let settling: NodeJS.Timeout | undefined
  let reloading = Promise.resolve()
  let isWaiting = false

  const settle = () => {
    clearTimeout(settling)
    settling = setTimeout(() => {
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

  const watcher = watch([...folders], { ignoreInitial: true })
    .on('all', settle)
    .on('error', error =>
      log(`reload     a path cannot be watched, restart after its edits: ${(error as Error).message}`),
    )
  await new Promise<void>(ready => watcher.on('ready', ready))
  return async () => {
    clearTimeout(settling)
    await watcher.close()
    await reloading
  }
}
