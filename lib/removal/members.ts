import { Failure } from '../domain/failure.ts'
import type { ProviderRecord, Removal } from '../domain/provider.ts'
import type { Member, RemovalStore } from './ports.ts'

/** A Query that begins so long after a transaction was committed shows it: much longer than any delay that was ever seen. */
export const visibleAfterMs = 4000

/** The members whom a removal lists: those who are marked as unlinked. */
export interface Listed {
  total: number
  /** All of them, when they are one page; a longer list is read again, so that it is never in memory as a whole. */
  whole?: Member[] | undefined
}

/** Whether this removal has marked the member as unlinked. */
export const isUnlinked = ({ expiresAt }: Member, { retainedUntil }: Removal): boolean =>
  expiresAt === retainedUntil

/** Whether the member is listed: with the mark of this removal, or with a later time, which a mark does not replace. */
export const isMarked = ({ expiresAt }: Member, { retainedUntil }: Removal): boolean =>
  expiresAt !== undefined && expiresAt >= retainedUntil

/**
 * Reads the list of a removed provider, and counts its memberships: those without a mark break the rules for writers.
 *
 * @throws Failure `provider_not_found` when fewer are left than were listed: TTL has begun to delete them, by its own clock
 */
export async function readList(
  store: RemovalStore,
  provider: ProviderRecord,
  signal: AbortSignal,
): Promise<{ listed: Listed; memberships: number }> {
  const { resource, removal } = provider
  const listed: Listed = { total: 0 }
  let memberships = 0
  for await (const { items, isLast } of store.members(resource.id, signal)) {
    const marked = markedOf(items, removal)
    if (isLast && memberships === 0) listed.whole = marked
    listed.total += marked.length
    memberships += items.length
  }
  if (listed.total < (listedTotal(provider) ?? 0)) throw new Failure('provider_not_found')
  return { listed, memberships }
}

/** How many members a removed provider has listed; undefined when neither this number nor that of its users can be read. */
export const listedTotal = ({ affectedTotal, memberCount }: ProviderRecord): number | undefined =>
  affectedTotal ?? memberCount

/**
 * Reads a list in pages, by user id ascending.
 *
 * @throws Failure `provider_not_found` at the end when members are gone since it was counted: TTL has begun to delete them
 */
export async function* listedMembers(
  store: RemovalStore,
  { resource, removal }: ProviderRecord,
  { total, whole }: Listed,
  signal: AbortSignal,
): AsyncGenerator<Member[], void> {
  if (whole) return yield whole
  let found = 0
  for await (const { items } of store.members(resource.id, signal)) {
    const marked = markedOf(items, removal)
    found += marked.length
    yield marked
  }
  if (found < total) throw new Failure('provider_not_found')
}

/** All members when the removal's attributes are malformed: then it is not known how it marked them. */
const markedOf = (members: Member[], removal: ProviderRecord['removal']): Member[] =>
  removal === undefined ? members : members.filter(member => isMarked(member, removal))
