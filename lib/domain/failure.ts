/** The codes of all failures. They never change: clients branch on them. */
export type FailureCode =
  | 'credentials_missing'
  | 'token_rejected'
  | 'scope_missing'
  | 'endpoint_retired'
  | 'caller_disabled'
  | 'provider_not_found'
  | 'own_provider'
  | 'answer_too_large'
  | 'wait_expired'
  | 'removal_unfinished'
  | 'issuer_unavailable'
  | 'table_busy'
  | 'internal_error'

/** What a failure tells the client in addition to its code. None of it may be secret. */
export interface FailureFacts {
  /** The one that the token lacks. */
  scope?: string
  /** Users linked to the provider when its removal began, as far as is known. */
  knownTotal?: number
  /** How many of them are unlinked so far; undefined until the list was read. */
  unlinked?: number
}

/** A refusal or interruption with a code for the client; any other error is a bug. */
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

/** What a Failure was made of; any other error is its own cause. */
export const causeOf = (error: unknown): unknown =>
  error instanceof Failure ? (error.cause ?? error) : error

/** The reason of an error, for the log: the message of its innermost cause, else that cause's code or name. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

/** The error itself if it is a Failure, else `internal_error` with the error as its cause. */
export const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('internal_error', {}, error)
