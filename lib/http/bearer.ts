import type { Identity, VerifyToken } from '../auth/verifier.ts'
import type { Config } from '../config.ts'
import { Failure } from '../domain/failure.ts'
import type { User } from '../domain/resources.ts'
import { headerLines, step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** The caller, from the verified token alone. */
export interface Caller extends Identity {
  /** The stored users whose id is the subject, as `userIdsOf` reads it; none for a machine client. */
  users: readonly User[]
}

interface BearerDeps {
  config: Pick<Config, 'scopes'>
  verifyToken: VerifyToken
  findCaller: (id: string, signal: AbortSignal) => Promise<User | undefined>
}

/** No good token → 401; no right to the operation, or a caller who is disabled or deleted → 403. */
export const bearer = ({ config, verifyToken, findCaller }: BearerDeps, operation: keyof Config['scopes']) =>
  step<{ caller: Caller }, { budget: Budget }>(async event => {
    const { signal } = event.budget
    const identity = await verifyToken(bearerToken(headerLines(event, 'authorization')), signal)
    // The access log shows the caller from here on, also when the request is refused below.
    event.caller = { ...identity, users: [] }
    const scope = config.scopes[operation]
    if (!identity.scopes.has(scope)) throw new Failure('scope_missing', { scope })

    const found = await Promise.all(userIdsOf(identity.subject).map(id => findCaller(id, signal)))
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

/**
 * The token of the one bearer credential.
 *
 * @throws Failure `credentials_missing` without one, `token_rejected` with several or a malformed one
 * @see RFC 6750 §2.1, RFC 9110 §11.4 (the scheme's case does not matter)
 */
function bearerToken(lines: string[]): string {
  const credentials = lines.filter(line => /^bearer(?: |$)/i.test(line.trim()))
  if (credentials.length === 0) throw new Failure('credentials_missing')
  const [, token] = /^bearer +([A-Za-z\d._~+/-]+=*)$/i.exec(lines[0]?.trim() ?? '') ?? []
  if (lines.length > 1 || token === undefined)
    throw new Failure('token_rejected', {}, new Error('not one well-formed bearer credential'))
  return token
}
