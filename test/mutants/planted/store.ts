import type { Mistake } from '../plant.ts'

/** Mistakes in the reads and writes of the table, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inStore: readonly Mistake[] = [
  // The conditions of the writes.
  ['lib/store/removals.ts', "'#state = :before'", "'(#state = :before OR attribute_exists(PK))'", 'store/removals'],
  ['lib/store/removals.ts', "conditions: ['retained_until = :expires_at']", 'conditions: []', 'store/removals'],
  ['lib/store/removals.ts', "removed: ['removed_at', 'expires_at', 'affected_total']", "removed: ['removed_at', 'affected_total']", 'store/removals'],
  ['lib/store/removals.ts', 'if (now !== undefined && now.state !== transitions.finish.to)', 'if (now === undefined)', 'store/removals'],
  ['lib/store/removals.ts', "...conditions].join(' AND ')", "...conditions].join(' OR ')", 'store/removals'],
  ['lib/store/unlink.ts', "condition: conditions.join(' AND ')", "condition: all.map(() => '(updated_at IS MISSING OR updated_at <> ?)').join(' AND ')", 'store/unlink'],
  ['lib/store/unlink.ts', 'removals = links.map(name =>', 'removals = all.map(([name]) =>', 'request/removal'],
  // A mark is an update of what is there.
  ['lib/store/removals.ts', 'const refused = await table.updateMemberships(updates, signal)', 'for (const { key } of updates) await table.update(key, { UpdateExpression: "SET expires_at = :e", ExpressionAttributeValues: { ":e": retainedUntil } }, signal); const refused: { key: Key }[] = []', 'store/removals'],
  // The outcomes of a batch.
  ['lib/store/statements.ts', "return { is: 'unprocessed' }", "return { is: 'done' }", 'store/unlink'],
  ['lib/store/statements.ts', 'if (Responses.length !== statements.length)', 'if (Responses.length === 0)', 'request/broken-replies'],
  ['lib/store/batch-calls.ts', 'return UnprocessedKeys[tableName]?.Keys ?? []', 'return []', 'store/batches'],
  // Reads: all pages, strongly consistent, of the right item.
  ['lib/store/table.ts', 'while (from !== undefined)', 'while (from === null)', 'request/long-removal'],
  ['lib/store/table.ts', 'ExclusiveStartKey: from,', 'ExclusiveStartKey: from, ...{ ConsistentRead: false },', 'request/calls'],
  ['lib/store/batch-calls.ts', 'Keys: left, ConsistentRead: true', 'Keys: left', 'request/calls'],
  ['lib/store/client.ts', 'isExact ? number : NumberValue.from(stored)', 'number', 'store/client'],
  ['lib/store/client.ts', 'String(number) === stored && ', '', 'store/client'],
  ['lib/store/client.ts', 'String(number) === stored && Math', 'Math', 'store/removals'],
  ['lib/store/keys.ts', 'isUserId(id.toLowerCase())', 'isUserId(id)', 'request/table-rules'],
  ['lib/store/users.ts', "is_disabled: stored => typeof stored === 'boolean'", 'is_disabled: () => true', 'request/callers'],
  // Retries.
  ['lib/store/broken-reply.ts', "throw '$response' in error && !('$fault' in error)", "throw '$response' in error && '$fault' in error", 'request/broken-replies'],
  ['lib/store/batches-at-once.ts', 'most = Math.max(1, inFlight / 2)', 'most = Math.max(1, inFlight)', 'store/batches'],
  ['lib/store/batches-at-once.ts', 'if (place >= 0) waiting.splice(place, 1)', 'if (place >= 0) waiting.length = 0', 'store/batches'],
  ['lib/store/batches-at-once.ts', 'if (!isCongested) most += 1 / most', 'if (!isCongested) most += 0', 'store/batches'],
  ['lib/store/batch-calls.ts', 'const sendUpdates = batchSender(clock, processed)', 'const sendUpdates = batchSender(clock)', 'store/batches'],
  ['lib/store/batch-calls.ts', 'updateMemberships: updater(),', 'get updateMemberships() { return this.updateUsers },', 'store/batches'],
  ['lib/store/retry.ts', "code === 'ETIMEDOUT'", "code === 'ECONNRESET'", 'store/retry'],
  ['lib/store/retry.ts', 'error.name === conflict || isThrottlingError(error)', 'isThrottlingError(error)', 'store/retry'],
  ['lib/store/retry.ts', 'if (tries >= most)', 'if (tries > most)', 'store/retry'],
]
