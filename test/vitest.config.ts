import { defineConfig } from 'vitest/config'
import { projectRoot } from '../infra/project-root.ts'

const timeLimitMs = (mode: string) => (mode === 'full' ? 180_000 : 120_000)

/** `--mode full` runs more of what takes too long for every day. */
export default defineConfig(({ mode }) => ({
  test: {
    env: { TEST_FULL: mode === 'full' ? 'yes' : '' },
    root: projectRoot,
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/shared.ts',
    setupFiles: ['test/support/without-log-events.ts'],
    // Most of the time is spent waiting for engines and processes: more workers than Vitest would take of itself.
    maxWorkers: 3,
    // Every file undoes what it does to its process, so that one process loads the modules once for many files.
    isolate: false,
    // Node loads what is built, as on Lambda; Vitest would look for the sources of its packages, which they do not ship.
    server: { deps: { external: [/\.mjs$/] } },
    // They end what hangs, on a busy machine too; no test is about them. Tests that take longer have limits of their own.
    testTimeout: timeLimitMs(mode),
    hookTimeout: timeLimitMs(mode),
  },
}))
