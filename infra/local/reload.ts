import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, deadline, delay } from '../../lib/time.ts'

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
  clock: Clock
}

export interface Sources {
  /** Resolves when the loaded functions are those of the sources; also when an edit has failed, and after 10 s. */
  current(): Promise<void>
  /** Ends it, and resolves when no build is running. */
  stop(): Promise<void>
}

/** How often it looks without a request, so that the faults of an edit are shown soon. */
const everyMs = 500

/** The longest wait of a request for a build. */
const holdMaxMs = 10_000

/**
 * Builds and loads the functions again when a source has changed. When that fails, the loaded functions stay.
 *
 * It compares the files themselves: a file watcher reports an edit only after the next requests have been answered.
 */
export function reloadOnChange({ folders, builtFrom, build, load, log, clock }: ReloadOptions): Sources {
  const stopping = new AbortController()
  const { signal } = stopping
  let seen = builtFrom
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
  const look = () => {
    const state = signal.aborted ? seen : stateOf(folders)
    if (state !== seen) reloading = reloading.then(reload)
    seen = state
    return reloading
  }
  const lookRepeatedly = async () => {
    for (;;) {
      await delay(clock, everyMs, signal)
      await look()
    }
  }
  lookRepeatedly().catch(() => {}) // it was stopped

  return {
    current: () => deadline(clock, holdMaxMs, signal, look).catch(() => {}),
    stop() {
      stopping.abort()
      return reloading
    },
  }
}

/** A text that differs when a source was changed, added or removed. */
export function stateOf(folders: readonly string[]): string {
  const files = folders.flatMap(folder =>
    unlessGone(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }), []).map(name =>
      join(folder, name),
    ),
  )
  const sources = files.filter(path => path.endsWith('.ts'))
  return JSON.stringify(sources.map(path => [path, unlessGone(() => versionOf(path), '')]))
}

function versionOf(path: string): string {
  const { ino, mtimeNs, size } = statSync(path, { bigint: true })
  return `${ino} ${mtimeNs} ${size}`
}

/** A file may be removed, or a link lead nowhere, while the folders are read. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
