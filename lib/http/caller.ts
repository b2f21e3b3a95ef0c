import type { Identity } from '../auth/verifier.ts'
import { Failure } from '../domain/failure.ts'
import type { User } from '../domain/resources.ts'
import { step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** The caller, from the verified token alone. */
export interface Caller extends Identity {
  /** The stored users whose id is the subject, as `userIdsOf` reads it; none for a machine client. */
  users: readonly User[]
}

interface CallerDeps {
  findCaller: (id: string, signal: AbortSignal) => Promise<User | undefined>
}

/** A caller who is disabled or deleted → 403. */
export const loadCaller = ({ findCaller }: CallerDeps) =>
  step<{ caller: Caller }, { budget: Budget; identity: Identity }>(async event => {
    const { identity, budget } = event
    const found = await Promise.all(userIdsOf(identity.subject).map(id => findCaller(id, budget.signal)))
    const users = found.filter(user => user !== undefined)
    if (users.some(user => user.is_disabled || user.deleted_at.valid)) throw new Failure('caller_disabled')
    event.caller = { ...identity, users }
  })

const lowerCaseUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * The user ids that a subject may stand for: a UUID in lower case, as the rule for writers has it (RFC 9562 §4: its
 * case does not matter), and the subject as it is, in case a writer broke the rule.
 */
function userIdsOf(subject: string): string[] {
  const lowerCase = subject.toLowerCase()
  return lowerCaseUuid.test(lowerCase) && lowerCase !== subject ? [lowerCase, subject] : [subject]
}
