import type { Mistake } from '../plant.ts'

/** Mistakes in the removal, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inRemoval: readonly Mistake[] = [
  // A user who is marked but still linked is never unlinked.
  ['lib/removal/unlink-members.ts', 'await unlink(userIds, clock.nowMs(), signal)', 'await store.mark(resource.id, userIds, removal.retainedUntil, signal); await unlink(userIds, clock.nowMs(), signal)', 'request/interrupted-removal'],
  ['lib/removal/remove-provider.ts', '  const listed = await unlinkMembers(ports, provider, context, report)', '  await store.finish(provider.resource.id, provider.removal, provider.memberCount ?? 0, clock.nowMs(), signal); const listed = await unlinkMembers(ports, provider, context, report)', 'request/interrupted-removal'],
  ['lib/removal/members.ts', 'expiresAt === retainedUntil', 'expiresAt !== undefined || retainedUntil === 0', 'removal/malformed-removal'],
  // The marks decide who is listed, and their number when the list is complete.
  ['lib/removal/unlink-members.ts', 'memberCount !== undefined && listed.total >= memberCount', 'true', 'removal/reading-members'],
  ['lib/removal/unlink-members.ts', 'memberCount !== undefined && listed.total >= memberCount', 'listed.total >= (memberCount ?? 0)', 'removal/reading-members'],
  ['lib/removal/unlink-members.ts', 'listed.total >= memberCount', 'progress.affectedTotal >= memberCount', 'removal/reading-members'],
  ['lib/removal/unlink-members.ts', 'isComplete || isOver || beganMs >= shownMs', 'isComplete || isOver', 'removal/reading-members'],
  ['lib/removal/members.ts', 'const visibleAfterMs = 4000', 'const visibleAfterMs = 400', 'removal/reading-members'],
  ['lib/removal/unlink-members.ts', 'for (const userId of refused) notMembers.add(userId)', '', 'removal/reading-members'],
  ['lib/removal/unlink-members.ts', 'count(userIds.length - refused.length)', 'count(userIds.length)', 'removal/reading-members'],
  ['lib/removal/unlink-members.ts', 'if (isFirst && isLast) whole = marked', 'if (isFirst) whole = marked', 'request/long-removal'],
  ['lib/removal/unlink-members.ts', 'Math.max(progress.affectedTotal, seen)', 'seen', 'removal/reading-members'],
  ['lib/store/removal-attributes.ts', 'isReadable: stored => Number.isSafeInteger(stored) && Number(stored) > 0', 'isReadable: stored => stored === 0', 'removal/malformed-removal'],
  // The answer of a removal that is finished, perhaps by another DELETE.
  ['lib/removal/remove-provider.ts', "if (found.state === 'removed') return replay(ports, found, context)", "if (found.state === 'removed') throw new Failure('provider_not_found')", 'request/repeated-removal'],
  ['lib/removal/remove-provider.ts', 'else return undefined', "else throw new Failure('provider_not_found')", 'request/repeated-removal'],
  ['lib/removal/remove-provider.ts', 'if (!(await store.finish(resource.id, removal, total, clock.nowMs(), signal))) return undefined', 'await store.finish(resource.id, removal, total, clock.nowMs(), signal)', 'request/repeated-removal'],
  ['lib/removal/members.ts', 'if (listed.total < (listedTotal(provider) ?? 0)) throw', 'if (listed.total < 0) throw', 'request/repeated-removal'],
  ['lib/removal/members.ts', 'affectedTotal ?? memberCount', 'affectedTotal', 'request/repeated-removal'],
  ['lib/removal/members.ts', 'members.filter(member => isUnlinked(member, removal))', 'members', 'request/repeated-removal'],
  ['lib/removal/members.ts', 'if (found < total)', 'if (found === 0)', 'request/long-removal'],
  ['lib/removal/remove-provider.ts', '  assertKnown(provider, clock.nowMs())', '', 'request/repeated-removal'],
  ['lib/removal/remove-provider.ts', 'if (isPastRetention(provider.removal, clock.nowMs()))', 'if (provider.removal.retainedUntil < 0)', 'request/repeated-removal'],
  // Another writer changes the removal meanwhile.
  ['lib/removal/unlink-members.ts', '!isWhole && !(await isRunning(ports, begun, signal))', '!isWhole && false', 'request/long-removal'],
  ['lib/removal/remove-provider.ts', 'if (total !== memberCount && !isPastRetention(removal, clock.nowMs()))', 'if (total > Number(memberCount) && !isPastRetention(removal, clock.nowMs()))', 'request/removal'],
  ['lib/removal/remove-provider.ts', "if (now.state !== 'removed') throw new Failure('removal_unfinished')", '', 'removal/reading-members'],
  ['lib/removal/unlink-members.ts', 'now?.removal.retainedUntil === begun.removal.retainedUntil', 'now !== undefined', 'removal/reading-members'],
  // The scheduled function.
  ['lib/removal/finish-removals.ts', 'if (now?.state === \'removing\') await finishRemoval(ports, now,', 'if (now) await finishRemoval(ports, found,', 'removal/finish-removals'],
  ['lib/removal/remove-provider.ts', "&& requestedBy !== undefined)", ')', 'removal/finish-removals'],
  ['lib/removal/finish-removals.ts', 'ageMs(found) > requestMaxMs', 'ageMs(found) >= requestMaxMs', 'removal/finish-removals'],
  ['lib/removal/finish-removals.ts', 'isLast ? leftMs : leftMs / 2', 'leftMs', 'removal/finish-several-removals'],
  ['lib/removal/finish-removals.ts', 'if (bugs.length > 0) throw', 'if (bugs.length > 1) throw', 'removal/finish-removals'],
  ['lib/time.ts', 'if (clock.nowMs() >= endsAtMs) expire()', '', 'lib/time'],
  ['lib/store/retry.ts', '    throwIfOver(signal)\n    try {', '    signal.throwIfAborted()\n    try {', 'removal/faults'],
]
