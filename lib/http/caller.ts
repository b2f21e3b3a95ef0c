import type { Identity } from '../auth/verifier.ts'
import { Failure } from '../domain/failure.ts'
import type { CallingUser } from '../domain/resources.ts'
import { isUserId } from '../domain/user-id.ts'
import { step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** The caller, from the verified token. */
export interface Caller extends Identity {
  /** The stored user with the subject as its id; undefined for a machine client. */
  user: CallingUser | undefined
}

interface CallerDeps {
  findCaller: (id: string, signal: AbortSignal) => Promise<CallingUser | undefined>
}

/** Loads the caller's user; disabled, deleted or malformed → 403. */
export const loadCaller = ({ findCaller }: CallerDeps) =>
  step<{ caller: Caller }, { budget: Budget; identity: Identity }>(async ({ identity, budget }) => {
    const user = await findCaller(userIdOf(identity.subject), budget.signal)
    if (user?.isMalformed || user?.is_disabled || user?.deleted_at.valid) throw new Failure('caller_disabled')
    return { caller: { ...identity, user } }
  })

/** The user id of a subject: a UUID in lower case, as the rules for writers require; any other subject as it is. */
function userIdOf(subject: string): string {
  const lowerCase = subject.toLowerCase()
  return isUserId(lowerCase) ? lowerCase : subject
}
