import type { Clock } from '../time.ts'
import type { ProviderRecord, Removal, RemovingProvider } from '../domain/provider.ts'
import type { SamlProvider, User } from '../domain/resources.ts'
import type { Log } from '../log.ts'

/** A stored membership of a user. */
export interface Member {
  userId: string
  /** Equals the removal's `retainedUntil` once it has unlinked the user; undefined when it is no number. */
  expiresAt: number | undefined
}

/** The reads and writes of a removal. Each write is conditional or idempotent: it may arrive late or twice. */
export interface RemovalStore {
  find(providerId: number, signal: AbortSignal): Promise<ProviderRecord | undefined>
  /** The providers in state `removing`. */
  removing(signal: AbortSignal): Promise<ProviderRecord[]>
  /** By user id ascending, in at least one page, which may be empty. */
  members(providerId: number, signal: AbortSignal): AsyncIterable<{ items: Member[]; isLast: boolean }>
  /** The existing users, in the order of the ids. */
  users(userIds: string[], signal: AbortSignal): Promise<User[]>
  /** active → removing, whatever is left of an older removal. @returns undefined in any other state */
  begin(
    providerId: number,
    removal: Removal,
    requestedBy: string,
    signal: AbortSignal,
  ): Promise<RemovingProvider | undefined>
  /** Replaces malformed attributes of a running removal only. @returns undefined when another client changed them */
  mend(providerId: number, removal: Removal, signal: AbortSignal): Promise<RemovingProvider | undefined>
  /** Returns a function that clears the links of at most 25 users to the provider, and changes no other user. */
  unlinker(
    provider: SamlProvider,
  ): (userIds: readonly string[], atMs: number, signal: AbortSignal) => Promise<void>
  /**
   * Marks at most 25 members as unlinked, unless they have a later mark: this call may arrive when another client has replaced
   * the removal's malformed end, and has marked them anew.
   *
   * @returns those who were not marked: they have a later mark, or were no members when the removal began
   */
  mark(providerId: number, userIds: string[], retainedUntil: number, signal: AbortSignal): Promise<string[]>
  /**
   * removing → removed.
   *
   * @returns whether it was this call that did it
   * @throws Failure `removal_unfinished` when another client changed the removal
   */
  finish(
    providerId: number,
    removal: Removal,
    affectedTotal: number,
    atMs: number,
    signal: AbortSignal,
  ): Promise<boolean>
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
