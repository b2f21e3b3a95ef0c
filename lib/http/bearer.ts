import type { Identity, VerifyToken } from '../auth/verifier.ts'
import type { Config } from '../config.ts'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../log.ts'
import { headerLines, type Step } from './request.ts'
import type { Budget } from './wait-budget.ts'

interface BearerDeps {
  config: Pick<Config, 'scopes' | 'deprecation'>
  verifyToken: VerifyToken
}

/**
 * No valid token → 401; no scope for the operation → 403; retired → 410. The last two have the identity in the access log,
 * so that it shows which clients still call a retired endpoint.
 */
export const bearer = (
  { config, verifyToken }: BearerDeps,
  operation: keyof Config['scopes'],
): Step<{ log: Log; budget: Budget; identity: Identity }> => ({
  before: async ({ event }) => {
    const token = bearerToken(headerLines(event, 'authorization'))
    const { log, budget } = event
    event.identity = await verifyToken(token, { log, signal: budget.signal })
    const scope = config.scopes[operation]
    if (!event.identity.scopes.has(scope)) throw new Failure('scope_missing', { scope })
    if (config.deprecation.isRetired) throw new Failure('endpoint_retired')
  },
})

/**
 * The token of the request's only bearer credential.
 *
 * @throws Failure `credentials_missing` without one, `token_rejected` with several or a malformed one
 * @see RFC 6750 §2.1, RFC 9110 §11.4 (the scheme's case does not matter)
 */
function bearerToken(lines: string[]): string {
  const credentials = lines.filter(line => /^bearer(?: |$)/i.test(line.trim()))
  if (credentials.length === 0) throw new Failure('credentials_missing')
  // Several lines are one with commas (RFC 9110 §5.3), which no token has.
  const [, token] = /^bearer +([A-Za-z\d._~+/-]+=*)$/i.exec(lines.join().trim()) ?? []
  if (token === undefined)
    throw new Failure('token_rejected', {}, new Error('not one well-formed bearer credential'))
  return token
}
