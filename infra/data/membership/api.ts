import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/** Where the table is; what is left out is that of the environment (`AWS_REGION` and credentials). */
export interface TablePlace extends Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'> {
  /** The output `TableName` of the deployment. */
  tableName: string
}

/** The links of a user, 32-bit integers; an absent one and null are none. */
export interface UserLinks {
  samlProviderId?: number | null
  /** One that no SAML provider has belongs to another protocol and makes no membership. */
  ssoProviderId?: number | null
}

/** Why a user does not get the requested links. */
export type Refusal =
  | 'user_not_found'
  | 'provider_not_found'
  /** The provider is being removed or was removed. */
  | 'provider_not_active'
  /** The user has a link to some provider, or a membership without a link. */
  | 'already_linked'

export type LinkOutcome = 'linked' | Refusal
export type MoveOutcome = 'moved' | Refusal
export type UnlinkOutcome = 'unlinked' | 'user_not_found' | 'provider_not_found' | 'not_linked'
export type EraseOutcome = 'erased' | 'user_not_found'

/**
 * Changes of users by the rules for writers: each is one transaction, and sets the user's `updated_at`.
 *
 * A user's id is a UUID in lower case. A change that meets other writers is tried again for half a minute; each throws an
 * error with the `code` `table_busy` when that does not help, the reason of an aborted signal, a TypeError for a malformed
 * id, and errors of the AWS SDK unchanged. A change that throws may have been made.
 */
export interface Memberships {
  /** Links a user who has no link. */
  link(userId: string, links: UserLinks, signal?: AbortSignal): Promise<LinkOutcome>
  /** Replaces all links of a user. */
  move(userId: string, links: UserLinks, signal?: AbortSignal): Promise<MoveOutcome>
  /** Removes a user's links to the provider, by whichever field. */
  unlink(userId: string, samlProviderId: number, signal?: AbortSignal): Promise<UnlinkOutcome>
  /** Deletes a user and the user's memberships of active providers. */
  erase(userId: string, signal?: AbortSignal): Promise<EraseOutcome>
  /** Closes the connections. */
  close(): void
}
