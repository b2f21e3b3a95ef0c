import type { Clock } from '../time.ts'
import type { ProviderRecord, Removal } from '../domain/provider.ts'
import type { SamlProvider, User } from '../domain/resources.ts'
import type { Log } from '../log.ts'

/** A user's membership of the provider, as written down when the link was made. */
export interface Member {
  userId: string
  /** Known to be unlinked; written only after the fact. */
  unlinked: boolean
}

/** The reads and writes a removal is made of. Each write is conditional or idempotent: it may land late, or twice. */
export interface RemovalStore {
  /** active or removing → removing, keeping what an earlier try wrote. @returns undefined from any other state */
  begin(
    providerId: number,
    removal: Removal,
    by: string,
    signal: AbortSignal,
  ): Promise<ProviderRecord | undefined>
  find(providerId: number, signal: AbortSignal): Promise<ProviderRecord | undefined>
  /** Every member, by user id ascending. */
  members(providerId: number, signal: AbortSignal): Promise<Member[]>
  /** Clears whichever of a user's two links is the provider's, and nothing else; a user without one is left alone. */
  unlinker(provider: SamlProvider): (userId: string, atMs: number, signal: AbortSignal) => Promise<void>
  markUnlinked(
    providerId: number,
    userIds: string[],
    retainedUntil: number,
    signal: AbortSignal,
  ): Promise<void>
  /** removing → removed. @returns whether it was this call that did it, and no other client's before */
  finish(providerId: number, atMs: number, signal: AbortSignal): Promise<boolean>
  /** The users that still exist, in the order of the ids. */
  users(userIds: string[], signal: AbortSignal): Promise<User[]>
}

export interface RemovalTools {
  store: RemovalStore
  clock: Clock
  newId: () => string
  retentionMs: number
}

/** On whose behalf a removal runs, and for how long. */
export interface Asker {
  /** Kept as the audit record. */
  by: string
  log: Log
  /** Ends the removal with its reason, wherever it is; the next one goes on there. */
  signal: AbortSignal
}
