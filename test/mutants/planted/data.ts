import type { Mistake } from '../plant.ts'

/** Mistakes in the commands for the table's data, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inData: readonly Mistake[] = [
  // The rules for writers: counts, memberships and links change together, and only of active providers.
  ['infra/data/membership/change.ts', "ConditionExpression: '#state = :active'", "ConditionExpression: '#state = :active OR attribute_exists(PK)'", 'data/membership/concurrent-writers'],
  ['infra/data/membership/change.ts', "membershipItem(providerId, userId), ConditionExpression: 'attribute_not_exists(PK)'", 'membershipItem(providerId, userId)', 'data/verify/other-writers', 'data/import/live-table'],
  ['infra/data/membership/change.ts', 'providers.filter(isListed).map(({ resource }) => resource)', 'providers.map(({ resource }) => resource)', 'data/membership/outcomes'],
  ['infra/data/membership/change.ts', 'return named.every(isListed) ? undefined', 'return named.length >= 0 ? undefined', 'data/membership/outcomes'],
  ['infra/data/membership/change.ts', 'deletion(user, ...linkNames)', 'deletion(user)', 'data/membership/concurrent-writers'],
  ['infra/data/linked-providers.ts', 'own === undefined || shared.includes(own) ? shared', 'own === undefined || shared.length > 0 ? shared', 'data/linked-providers'],
  ['infra/data/transact.ts', 'ClientRequestToken: newId(),', '', 'data/membership/concurrent-writers'],
  ['infra/data/transact.ts', "if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) return false", "if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) return true", 'data/membership/concurrent-writers'],
  // An import.
  ['infra/data/insert.ts', "if (outcomes[index]?.is === 'refused') taken.add(item)", '', 'data/import/live-table'],
  ['infra/data/import/users.ts', "return [{ Put: { Item: item, ConditionExpression: 'attribute_not_exists(PK)' } }", 'return [{ Put: { Item: item } }', 'data/import/live-table'],
  ['infra/data/import/providers.ts', "put = { Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' } }", 'put = { Put: { Item } }', 'data/import/two-imports'],
  ['infra/data/import/providers.ts', "replacement(stored, values, 'state', 'sso_provider_id')", 'replacement(stored, values)', 'data/import/update'],
  ['infra/data/import/difference.ts', 'if (leftOut.includes(name)) continue', '', 'data/import/update'],
  ['infra/data/import/terms.ts', 'return fault && `', 'return fault && linked.length > 1 && `', 'data/import/live-table'],
  ['infra/data/records/record.ts', 'return resource.deleted_at.valid', "return resource.name === ''", 'data/records/reader', 'data/records/bad-input'],
  // An export, an erasure, a preview.
  ['infra/data/export.ts', 'await add(providers.filter(isListed)', 'await add(providers', 'data/import/round-trip', 'data/commands'],
  ['infra/data/erase.ts', 'dryRun ? look : eraseOne', 'eraseOne', 'data/erase'],
  ['infra/data/erase.ts', 'if (malformed.length === 0) return ids', 'return ids', 'data/erase'],
  ['infra/data/preview.ts', 'user.AuthSecret !== null || ', '', 'data/members'],
  ['infra/data/affected.ts', 'removal && isUnlinked(member, removal)', 'removal && member.expiresAt !== 0', 'data/members'],
  // Reads, and the check of the table.
  ['infra/data/scan.ts', 'while (from !== undefined)', 'while (from === null)', 'data/scan'],
  ['infra/data/scan.ts', 'ConsistentRead: true,', '', 'data/scan'],
  ['infra/data/check-table.ts', "if (key !== 'PK (S) and SK (S)')", "if (key === '')", 'data/check-table'],
  // verify: what it finds, and that its repairs overwrite nothing.
  ['infra/data/conditions.ts', '[...new Set([...Object.keys(values), ...others])].map', '[...others].map', 'data/verify/other-writers'],
  ['infra/data/conditions.ts', 'Delete: { Key: keyOf(item), ...asRead(item, names) }', 'Delete: { Key: keyOf(item) }', 'data/verify/other-writers'],
  ['infra/data/member-count.ts', "replacement(provider, { member_count: length }, 'state')", 'replacement(provider, { member_count: length })', 'data/verify/other-writers'],
  ['infra/data/member-count.ts', 'String(before?.member_count) === String(item?.member_count)', 'before !== item', 'data/verify/other-writers'],
  ['infra/data/verify/membership-rules.ts', "is(pair, ['active'], ['none'], present)", "is(pair, ['active'], ['none', 'unreadable'], present)", 'data/verify/verify'],
  ['infra/data/verify/membership-rules.ts', "problem: withoutMark('strangers',", "problem: withoutMark('listed',", 'data/verify/verify'],
  ['infra/data/ages.ts', 'nowMs > expiresAt * 1000 + overdueMs', 'nowMs > expiresAt * 1000', 'data/verify/verify'],
]
