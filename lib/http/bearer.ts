import type { Identity, VerifyToken } from '../auth/verifier.ts'
import type { Config } from '../config.ts'
import { Failure } from '../domain/failure.ts'
import type { User } from '../domain/resources.ts'
import { headerLines, step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** Who is calling, from the verified token alone. */
export interface Caller extends Identity {
  /** The stored user whose id is the subject; undefined for a machine client, absent until it is looked up. */
  user?: User | undefined
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
    // Known from here on: whoever is refused below still stands in the log.
    event.caller = identity
    const scope = config.scopes[operation]
    if (!identity.scopes.has(scope)) throw new Failure('scope_missing', { scope })

    const userId = identity.subject.toLowerCase()
    const user = uuid.test(userId) ? await findCaller(userId, signal) : undefined
    if (user !== undefined && (user.is_disabled || user.deleted_at.valid))
      throw new Failure('caller_disabled')
    event.caller = { ...identity, user }
  })

/** RFC 9562 §4: UUIDs are read in any case; the table holds them in lower case. */
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

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
