import type { Clock } from '../time.ts'
import type { ProviderRecord, Removal, RemovingProvider } from '../domain/provider.ts'
import type { SamlProvider, User } from '../domain/resources.ts'
import type { Log } from '../log.ts'

/** A user's membership of the provider, as written down when the link was made. */
export interface Member {
  userId: string
  /** Equal to the removal's `retainedUntil` once the user is known to be unlinked; anything else says nothing. */
  expiresAt: unknown
}

/** The reads and writes a removal is made of. Each write is conditional or idempotent: it may land late, or twice. */
export interface RemovalStore {
  /** active → removing, whatever an older removal left behind. @returns undefined from any other state */
  begin(
    providerId: number,
    removal: Removal,
    requestedBy: string,
    signal: AbortSignal,
  ): Promise<RemovingProvider | undefined>
  /**
   * Replaces what cannot be right in a removal under way, and keeps the rest: the marks go by it.
   *
   * @returns undefined when somebody else changed it meanwhile
   */
  mend(providerId: number, removal: Removal, signal: AbortSignal): Promise<RemovingProvider | undefined>
  find(providerId: number, signal: AbortSignal): Promise<ProviderRecord | undefined>
  /** The providers whose removal has begun and is not finished. */
  removing(signal: AbortSignal): Promise<ProviderRecord[]>
  /** Every member, by user id ascending. */
  members(providerId: number, signal: AbortSignal): Promise<Member[]>
  /**
   * Clears whichever of the users' two links is the provider's, and nothing else; a user without one is left alone.
   * Of at most 25 users, none twice.
   */
  unlinker(
    provider: SamlProvider,
  ): (userIds: readonly string[], atMs: number, signal: AbortSignal) => Promise<void>
  markUnlinked(
    providerId: number,
    userIds: string[],
    retainedUntil: number,
    signal: AbortSignal,
  ): Promise<void>
  /** removing → removed. @returns whether it was this call that did it, and no other client's before */
  finish(providerId: number, removal: Removal, atMs: number, signal: AbortSignal): Promise<boolean>
  /** The users that still exist, in the order of the ids. */
  users(userIds: string[], signal: AbortSignal): Promise<User[]>
}

export interface RemovalPorts {
  store: RemovalStore
  clock: Clock
  newId: () => string
  retentionMs: number
}

/** What a run of the scheduled function is given: its log, and the signal that ends it. */
export type Run = Omit<RemovalContext, 'requestedBy'>

/** On whose behalf a removal runs, and for how long. */
export interface RemovalContext {
  /** Kept as the audit record; undefined on a schedule, which begins no removal. */
  requestedBy: string | undefined
  log: Log
  /** Ends the removal with its reason, wherever it is; the next one goes on there. */
  signal: AbortSignal
}
