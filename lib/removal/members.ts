import { delay } from '../time.ts'
import type { Removal, RemovingProvider } from '../domain/provider.ts'
import type { Member, MemberPage, RemovalPorts } from './ports.ts'

/** Whether this removal has marked the member as unlinked. */
export const isUnlinked = ({ expiresAt }: Member, { retainedUntil }: Removal): boolean =>
  expiresAt === retainedUntil

/** How long a Query may miss a link, or show an unlink, that was committed just before the tombstone. */
const settlingMs = 500
/** After this time no earlier transaction can be in flight; a short budget must not be spent on waiting. */
const settledAfterMs = 300_000

/** A page of a round: the whole list, a part of what follows the position, or of what comes before. */
export interface RoundPage extends MemberPage {
  part: 'whole' | 'after' | 'before'
}

/**
 * Reads all members once, in pages: from the removal's position to the end, and then from the start to the position. So a wrong
 * position can hide no member.
 *
 * A Query is only read-committed against other writers' transactions: one that was committed just before the tombstone may
 * not be seen yet. Therefore the first read waits. The number of members shows nothing: what is missing and what is too much
 * may cancel out.
 */
export async function* roundOfMembers(
  { store, clock }: RemovalPorts,
  { resource: { id }, removal, position }: RemovingProvider,
  signal: AbortSignal,
): AsyncGenerator<RoundPage, void> {
  const after = position?.userId
  const settledMs = Math.min(clock.nowMs() + settlingMs, removal.startedAtMs + settledAfterMs)
  if (clock.nowMs() < settledMs) await delay(clock, settledMs - clock.nowMs(), signal)
  let part: RoundPage['part'] | undefined
  for await (const page of store.members(id, signal, after)) {
    part ??= after === undefined && page.isLast ? 'whole' : 'after'
    yield { ...page, part }
  }
  if (after === undefined) return
  for await (const page of store.members(id, signal)) {
    const items = page.items.filter(({ userId }) => userId <= after)
    const isLast = page.isLast || (page.items.at(-1)?.userId ?? '') >= after
    yield { items, isLast, part: 'before' }
    if (isLast) return
  }
}
