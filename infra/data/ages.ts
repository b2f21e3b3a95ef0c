import { retentionDaysMax } from '../../lib/domain/provider.ts'

/** The maximum duration of a request: Lambda's maximum time-out. */
export const requestMaxMs = 900_000

/** DynamoDB deletes expired items within a few days. */
const overdueMs = 7 * 86_400_000

/** Whether TTL should have deleted an item long ago. */
export const isOverdue = (expiresAt: unknown, nowMs: number): boolean =>
  typeof expiresAt === 'number' && nowMs > expiresAt * 1000 + overdueMs

/** Whether a removal that has begun can keep an item so long: the longest retention, and a clock that is ahead. */
export const isRetention = (expiresAt: unknown, nowMs: number): boolean =>
  typeof expiresAt === 'number' && expiresAt * 1000 <= nowMs + retentionDaysMax * 86_400_000 + requestMaxMs
