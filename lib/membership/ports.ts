import type { Links, ProviderRecord } from '../domain/provider.ts'

/** A user's links as they were read. */
interface StoredLinks {
  links: Links
  /** What the table holds of them, whether or not it can be read: what a change of them depends on. */
  version: unknown
}

/** A change of one user's links, in all items that it concerns. */
export interface LinkChange {
  userId: string
  /** The links that the user must still have. */
  from: StoredLinks
  /** The user's new links and `updated_at` (ISO 8601 UTC with milliseconds); undefined: the user is erased. */
  to: { links: Links; updatedAt: string } | undefined
  /** Active providers that gain the user as a member, who is none. */
  joined: readonly number[]
  /** Active providers that lose the user as a member. */
  left: readonly number[]
}

/** The reads and the write a change of a user's links is made of. */
export interface MembershipStore {
  /** @returns undefined when there is no such user */
  findLinks(userId: string, signal: AbortSignal): Promise<StoredLinks | undefined>
  /** Every provider, in whatever state. */
  providers(signal: AbortSignal): Promise<ProviderRecord[]>
  /** Those of the providers that have the user as a member. */
  membershipsOf(userId: string, providerIds: readonly number[], signal: AbortSignal): Promise<number[]>
  /** All of it, or nothing. @returns false when anything is not as it must be */
  apply(change: LinkChange, signal: AbortSignal): Promise<boolean>
}
