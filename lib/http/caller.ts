import type { Identity } from '../auth/verifier.ts'
import { Failure } from '../domain/failure.ts'
import type { CallingUser } from '../domain/resources.ts'
import { isUserId } from '../domain/user-id.ts'
import { step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** The caller, from the verified token. */
export interface Caller extends Identity {
  /** The stored user whose id the subject is, in any case; undefined for a machine client. */
  user: CallingUser | undefined
}

interface CallerDeps {
  findCaller: (id: string, signal: AbortSignal) => Promise<CallingUser | undefined>
}

/**
 * Loads the caller's user; disabled, deleted or malformed → 403. For a subject that is no UUID nothing is read: it is a
 * machine client's.
 */
export const loadCaller = ({ findCaller }: CallerDeps) =>
  step<{ caller: Caller }, { budget: Budget; identity: Identity }>(async ({ identity, budget }) => {
    const id = identity.subject.toLowerCase()
    const user = isUserId(id) ? await findCaller(id, budget.signal) : undefined
    if (user?.isMalformed || user?.is_disabled || user?.deleted_at.valid) throw new Failure('caller_disabled')
    return { caller: { ...identity, user } }
  })
