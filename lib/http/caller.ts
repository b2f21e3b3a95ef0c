import type { Identity } from '../auth/verifier.ts'
import { Failure } from '../domain/failure.ts'
import type { CallingUser } from '../domain/resources.ts'
import { isUserId } from '../domain/user-id.ts'
import { step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** The caller, from the verified token. */
export interface Caller extends Identity {
  /** The stored users with the subject as their id, in any of the cases looked up; empty for a machine client. */
  users: readonly CallingUser[]
}

interface CallerDeps {
  findCaller: (ids: string[], signal: AbortSignal) => Promise<CallingUser[]>
}

/** Loads the caller's user; disabled, deleted or malformed → 403. */
export const loadCaller = ({ findCaller }: CallerDeps) =>
  step<{ caller: Caller }, { budget: Budget; identity: Identity }>(async ({ identity, budget }) => {
    const users = await findCaller(userIdsOf(identity.subject), budget.signal)
    if (users.some(user => user.isMalformed || user.is_disabled || user.deleted_at.valid))
      throw new Failure('caller_disabled')
    return { caller: { ...identity, users } }
  })

/**
 * The user ids to look up for a subject: a UUID (RFC 9562 §4: case-insensitive) in lower case, as the rules for writers
 * require, and in upper case, in case a writer broke the rule; the subject unchanged in any case.
 */
function userIdsOf(subject: string): string[] {
  const lowerCase = subject.toLowerCase()
  return isUserId(lowerCase) ? [...new Set([lowerCase, lowerCase.toUpperCase(), subject])] : [subject]
}
