import { retentionDaysMax } from '../../lib/domain/provider.ts'

/** The maximum duration of a request: Lambda's maximum time-out. */
export const requestMaxMs = 900_000

/** Whether a removal that has begun can keep an item so long: the longest retention, and a clock that is ahead. */
export const isRetention = (expiresAt: unknown, nowMs: number): boolean =>
  typeof expiresAt === 'number' && expiresAt * 1000 <= nowMs + retentionDaysMax * 86_400_000 + requestMaxMs
