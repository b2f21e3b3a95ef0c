import type { IssuerConfig } from './issuer-config.ts'
import type { KeyPorts } from './keys/fetch-keys.ts'
import { type KeyContext, keySet } from './keys/key-set.ts'
import { assertToken } from './token/assert-token.ts'
import { checkClaims } from './token/claims.ts'
import { decodeCompact } from './token/compact.ts'
import { checkHeader } from './token/header.ts'
import { type Identity, identityOf } from './token/identity.ts'

export type { Identity } from './token/identity.ts'

/**
 * Verifies a token and returns its identity.
 *
 * @throws Failure `token_rejected` for any fault of the token, `issuer_unavailable` when its key cannot be fetched;
 * the signal's reason when it aborts during the fetch
 */
export type VerifyToken = (token: string, context: KeyContext) => Promise<Identity>

/**
 * Verifies the tokens of these issuers, each by its own policy and keys; `warm` fetches all keys ahead and never throws.
 *
 * What needs no key is checked first, so that only a plausible token can make the service fetch keys.
 *
 * @throws Error when an issuer's inlined keys cannot be used
 * @see RFC 9068 §4, RFC 8725
 */
export function tokenVerifier(issuers: readonly IssuerConfig[], ports: KeyPorts) {
  const trusted = new Map(issuers.map(issuer => [issuer.issuer, { issuer, keys: keySet(issuer, ports) }]))
  const verify: VerifyToken = async (text, context) => {
    const token = decodeCompact(text)
    const found = trusted.get(token.payload.iss ?? '')
    assertToken(found !== undefined, 'unknown issuer')
    const { issuer, keys } = found
    const nameOfKey = checkHeader(token.header, issuer)
    checkClaims(token.payload, issuer, ports.clock.nowMs())
    const key = await keys.find(nameOfKey, context)
    assertToken(key !== undefined, 'unknown key')
    assertToken(key.accepts(token, issuer), 'wrong signature')
    return identityOf(token.payload, issuer)
  }
  const warm = async (context: KeyContext) => {
    await Promise.all(Array.from(trusted.values(), ({ keys }) => keys.warm(context)))
  }
  return Object.assign(verify, { warm })
}
