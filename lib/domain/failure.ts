/** Every way a request can end without its answer; stable for ever, clients branch on it. */
export type FailureCode =
  | 'credentials_missing'
  | 'token_rejected'
  | 'scope_missing'
  | 'caller_disabled'
  | 'provider_not_found'
  | 'route_not_found'
  | 'own_provider'
  | 'endpoint_retired'
  | 'answer_too_large'
  | 'wait_expired'
  | 'removal_unfinished'
  | 'issuer_unavailable'
  | 'table_busy'
  | 'internal_error'

/** What a failure tells the client besides its code; none of it may be secret. */
export interface FailureFacts {
  /** The scope that the token lacks. */
  scope?: string
  /** Users linked to the provider when its removal began. */
  affectedTotal?: number
  /** How many of them are known to be unlinked by now; undefined while their list was not read. */
  unlinked?: number
  /** When to try again, in whole seconds ≥ 1, where more is known than what holds for the code. */
  retryAfterSeconds?: number
}

/** A refusal or interruption that the client is told about by its code; anything else thrown is a bug. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly facts: FailureFacts

  constructor(code: FailureCode, facts: FailureFacts = {}, cause?: unknown) {
    super(code, { cause })
    this.code = code
    this.facts = facts
  }
}

/**
 * Why it failed, for the log: the message of the innermost cause, or its code where it has no message, as when a connection
 * is refused at every address.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

/** The failure that was thrown; anything else is a bug, of which the client learns no more than `internal_error`. */
export const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('internal_error', {}, error)
