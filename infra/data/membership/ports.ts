import type { Links, ProviderRecord } from '../../../lib/domain/provider.ts'

/** A user's stored links. */
export interface StoredLinks {
  links: Links
  /** The stored values, also malformed ones: a change is made on the condition that they are the same. */
  version: unknown
}

/** A change of one user's links, in all items that it concerns. */
export interface LinkChange {
  userId: string
  /** The links that the user must still have for the change to be made. */
  from: StoredLinks
  /** The user's new links and `updated_at` (ISO 8601 UTC with milliseconds); undefined: the user is erased. */
  to: { links: Links; updatedAt: string } | undefined
  /** Active providers that get a membership of the user. */
  joined: readonly number[]
  /** Active providers whose membership of the user is deleted. */
  left: readonly number[]
}

/** The reads and the write of {@link LinkChange}s. */
export interface MembershipStore {
  /** @returns undefined when there is no such user */
  findLinks(userId: string, signal: AbortSignal): Promise<StoredLinks | undefined>
  /** All providers in any state. */
  providers(signal: AbortSignal): Promise<ProviderRecord[]>
  /** The given providers that have a membership of the user. */
  membershipsOf(userId: string, providerIds: readonly number[], signal: AbortSignal): Promise<number[]>
  /** Makes the whole change or nothing. @returns false when a condition does not hold */
  apply(change: LinkChange, signal: AbortSignal): Promise<boolean>
}
