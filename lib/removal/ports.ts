import type { ProviderRecord, Removal } from '../domain/provider.ts'
import type { User } from '../domain/resources.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time.ts'

/**
 * A strongly consistent read that begins so long after a transaction was sent shows it completely, or it was never committed.
 * DynamoDB itself completes a transaction that was left half-way once 5 s have passed.
 *
 * @see DynamoDB API Reference, TransactWriteItems, TransactionInProgressException (the time line of its retries)
 */
export const visibleAfterMs = 8000

/** A user who has a membership of a provider. */
export interface Member {
  userId: string
  /** Whether the provider's removal has unlinked the user: the membership has its mark. */
  isUnlinked: boolean
}

/** What became of a group of members whom a removal was to unlink. */
export interface Unlinked {
  /** How many are unlinked, by anybody. The others are left out. */
  unlinked: number
  /** Why one of the others is left out: Failure `table_busy`, or that they are too large; undefined when there is none. */
  reason?: unknown
  /** Whether fewer in a transaction may pass: memberships of a part of them are throttled, or DynamoDB names nobody. */
  fewerMayPass: boolean
}

/**
 * Unlinks and marks at most 49 members; nobody else is changed.
 *
 * @returns undefined when the provider is not in this removal any more
 * @throws Failure `table_busy` when the provider is refused again and again
 */
export type Unlink = (userIds: readonly string[], signal: AbortSignal) => Promise<Unlinked | undefined>

/** The reads and writes of a removal. Each write is conditional or idempotent: it may arrive late or twice. */
export interface RemovalStore {
  find(providerId: number, signal: AbortSignal): Promise<ProviderRecord | undefined>
  /** The providers in state `removing`. */
  removing(signal: AbortSignal): Promise<ProviderRecord[]>
  /** By user id ascending, in at least one page, which may be empty; of a running removal perhaps as they were a moment ago. */
  members(provider: ProviderRecord, signal: AbortSignal): AsyncIterable<Member[]>
  /** The existing users, in the order of the ids. */
  users(userIds: string[], signal: AbortSignal): Promise<User[]>
  /** active → removing, whatever is left of an older removal. @returns undefined in any other state */
  begin(
    providerId: number,
    removal: Removal,
    requestedBy: string,
    signal: AbortSignal,
  ): Promise<ProviderRecord | undefined>
  /** Unlinks the members of a provider, one group after another. */
  unlinker(provider: ProviderRecord): Unlink
  /** removing → removed. @returns undefined when the provider is not in this removal any more */
  finish(
    provider: ProviderRecord,
    listedTotal: number,
    atMs: number,
    signal: AbortSignal,
  ): Promise<ProviderRecord | undefined>
}

export interface RemovalPorts {
  store: RemovalStore
  clock: Clock
  newId: () => string
  retentionMs: number
}

export interface RemovalContext {
  /** The token's subject, stored for audits; a scheduled run, which has none, begins no removal. */
  requestedBy?: string
  log: Log
  /** Aborts the removal with its reason; the next attempt continues it. */
  signal: AbortSignal
}
