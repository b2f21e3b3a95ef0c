/** The longest that a request can take: the time after which Lambda ends any function. */
export const requestMaxMs = 900_000

/** DynamoDB deletes what has expired within a few days. */
const overdueMs = 7 * 86_400_000

/** Whether TTL ought to have deleted an item long ago. */
export const isOverdue = (expiresAt: unknown, nowMs: number): boolean =>
  typeof expiresAt === 'number' && nowMs > expiresAt * 1000 + overdueMs
