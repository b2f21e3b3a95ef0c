import { afterAll, beforeAll, vi } from 'vitest'
import type { Clock } from '../../lib/time.ts'

/** Sets the system's time, which aws-jwt-verify reads, to that of the clock during the tests of a file. */
export function systemTimeOf(clock: Clock) {
  beforeAll(() => void vi.setSystemTime(clock.nowMs()))
  afterAll(() => void vi.useRealTimers())
}
