import type { Clock } from '../time.ts'
import type { ProviderRecord, Removal, RemovingProvider } from '../domain/provider.ts'
import type { SamlProvider, User } from '../domain/resources.ts'
import type { Log } from '../log.ts'

/** A stored membership of a user. */
export interface Member {
  userId: string
  /** Equals the removal's `retainedUntil` when the user is unlinked; any other value means nothing. */
  expiresAt: unknown
}

/** A page of members, by user id ascending; it may be empty. */
interface MemberPage {
  items: Member[]
  isLast: boolean
}

/** The reads and writes of a removal. Each write is conditional or idempotent: it may arrive late or twice. */
export interface RemovalStore {
  /** active → removing; overwrites the attributes of an older removal. @returns undefined in any other state */
  begin(
    providerId: number,
    removal: Removal,
    requestedBy: string,
    signal: AbortSignal,
  ): Promise<RemovingProvider | undefined>
  /**
   * Replaces malformed attributes of a running removal and keeps the others, on which its marks depend.
   *
   * @returns undefined when another client changed them since they were read
   */
  mend(providerId: number, removal: Removal, signal: AbortSignal): Promise<RemovingProvider | undefined>
  find(providerId: number, signal: AbortSignal): Promise<ProviderRecord | undefined>
  /** The providers in state `removing`. */
  removing(signal: AbortSignal): Promise<ProviderRecord[]>
  /** The members by user id ascending, in at least one page. */
  members(providerId: number, signal: AbortSignal): AsyncIterable<MemberPage>
  /**
   * Returns a function that clears the links of at most 25 different users to the provider, and nothing else. Users without
   * such a link are not changed.
   */
  unlinker(
    provider: SamlProvider,
  ): (userIds: readonly string[], atMs: number, signal: AbortSignal) => Promise<void>
  /**
   * Marks at most 25 members as unlinked.
   *
   * @returns those who are no members: another writer has unlinked them before the tombstone
   */
  mark(providerId: number, userIds: string[], retainedUntil: number, signal: AbortSignal): Promise<string[]>
  /**
   * removing → removed.
   *
   * @param affectedTotal how many members were listed
   * @returns whether this call did it, and not another client's before
   * @throws Failure `removal_unfinished` when another writer changed the removal
   */
  finish(
    providerId: number,
    removal: Removal,
    affectedTotal: number,
    atMs: number,
    signal: AbortSignal,
  ): Promise<boolean>
  /** The existing users, in the order of the ids. */
  users(userIds: string[], signal: AbortSignal): Promise<User[]>
}

/** What a removal needs from outside. */
export interface RemovalPorts {
  store: RemovalStore
  clock: Clock
  newId: () => string
  retentionMs: number
}

/** Who requested a removal, its log, and its abort signal. */
export interface RemovalContext {
  /** The token's subject, stored for audits; absent for a scheduled run, which begins no removal. */
  requestedBy?: string
  log: Log
  /** Aborts the removal with its reason; the next attempt continues it. */
  signal: AbortSignal
}
