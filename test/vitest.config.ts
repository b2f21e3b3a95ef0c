import { defineConfig } from 'vitest/config'

/** `--mode full` adds what takes too long for every day. */
export default defineConfig(({ mode }) => ({
  test: {
    env: { TEST_FULL: mode === 'full' ? 'yes' : '' },
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/engine.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
}))
