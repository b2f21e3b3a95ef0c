import type { Mistake } from '../plant.ts'

/** Mistakes in the removal, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inRemoval: readonly Mistake[] = [
  // A user who is marked but still linked is never unlinked.
  ['lib/removal/unlink-members.ts', 'await unlink(userIds, clock.nowMs(), signal)', 'await store.markUnlinked(resource.id, userIds, removal.retainedUntil, signal); await unlink(userIds, clock.nowMs(), signal)', 'request/interrupted'],
  ['lib/removal/remove-provider.ts', 'const unlinked = begun && (await unlinkMembers(ports, begun, context, progress))', 'if (begun) await finish(ports, begun, { total: begun.memberCount }, context); const unlinked = begun && (await unlinkMembers(ports, begun, context, progress))', 'request/interrupted'],
  ['lib/removal/members.ts', 'expiresAt === retainedUntil', 'expiresAt !== undefined || retainedUntil === 0', 'removal/malformed-removal'],
  // The answer of a removal that another DELETE has finished.
  ['lib/removal/remove-provider.ts', "if (now.state === 'removed') return undefined", "if (now.state === 'removed') break", 'request/replays'],
  ['lib/removal/remove-provider.ts', 'if (isOver || total < (affectedTotal ?? 0))', 'if (isOver)', 'request/replays'],
  ['lib/removal/affected.ts', 'members.filter(member => isUnlinked(member, removal))', 'members', 'request/replays'],
  ['lib/removal/affected.ts', 'if (found < total)', 'if (found === 0)', 'request/pages'],
  // Another writer changes the removal meanwhile.
  ['lib/removal/unlink-members.ts', '!isCounted && !(await isRunning())', '!isCounted && false', 'removal/malformed-removal'],
  ['lib/removal/unlink-members.ts', 'if (total !== memberCount && !isPastRetention(removal, clock.nowMs()))', 'if (total < memberCount && !isPastRetention(removal, clock.nowMs()))', 'removal/members'],
  ['lib/removal/remove-provider.ts', "if (now.state !== 'removed') throw new Failure('removal_unfinished')", '', 'removal/malformed-removal'],
  // The scheduled function.
  ['lib/removal/remove-provider.ts', "if (state === 'active' && requestedBy === undefined) return undefined", '', 'removal/finish-removals'],
  ['lib/removal/finish-removals.ts', 'ageMs(found) > requestMaxMs', 'ageMs(found) >= requestMaxMs', 'removal/finish-removals'],
  ['lib/removal/finish-removals.ts', 'Math.min(2, order.length - index)', '1', 'removal/several-removals'],
  ['lib/removal/finish-removals.ts', 'if (bugs.size > 0) throw', 'if (bugs.size > 1) throw', 'removal/finish-removals'],
]
