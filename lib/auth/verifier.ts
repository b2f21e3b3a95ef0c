import { verifyJwtSync } from 'aws-jwt-verify/jwt-verifier'
import type { Clock } from '../time.ts'
import { Failure } from '../domain/failure.ts'
import { checkClaims } from './token/claims.ts'
import { readCompact } from './token/compact.ts'
import { assertToken } from './token/assert-token.ts'
import { kidOf } from './token/header.ts'
import { type Identity, identityOf } from './token/identity.ts'
import type { IssuerConfig } from './issuer-config.ts'
import type { FetchJson } from './keys/fetch-json.ts'
import { keySet } from './keys/key-set.ts'
import type { SigningKey } from './keys/usable-keys.ts'

export type { Identity } from './token/identity.ts'

/**
 * Who the token speaks for.
 *
 * @throws Failure `token_rejected` for any fault of the token, `issuer_unavailable` when its keys cannot be had;
 * the signal's reason when it aborts
 */
export type VerifyToken = (token: string, signal: AbortSignal) => Promise<Identity>

/** Verifies, and can fetch all keys ahead; that never throws. */
export type TokenVerifier = VerifyToken & { warm(signal: AbortSignal): Promise<void> }

/**
 * Verifies the tokens of these issuers, each by its own policy and keys.
 *
 * What needs no key is checked first, so that only a plausible token can make the service fetch keys.
 *
 * @see RFC 9068 §4, RFC 8725
 */
export function tokenVerifier(
  issuers: readonly IssuerConfig[],
  clock: Clock,
  fetchJson: FetchJson,
): TokenVerifier {
  const trusted = new Map<unknown, Trusted>(
    issuers.map(issuer => [issuer.issuer, { issuer, keys: keySet(issuer, clock, fetchJson) }]),
  )
  const verify: VerifyToken = async (token, signal) => {
    signal.throwIfAborted()
    const { header, claims } = readCompact(token)
    const found = trusted.get(claims.iss)
    assertToken(found !== undefined, 'unknown issuer')
    const { issuer, keys } = found
    const kid = kidOf(header, issuer)
    checkClaims(claims, issuer, clock.nowMs())
    const key = await keys.find(kid, signal)
    assertToken(key !== undefined, 'unknown key')
    checkSignature(token, issuer, key)
    return identityOf(claims, issuer.issuer, issuer.subjectClaim)
  }
  const warm = async (signal: AbortSignal) => {
    await Promise.all(Array.from(trusted.values(), ({ keys }) => keys.warm(signal)))
  }
  return Object.assign(verify, { warm })
}

interface Trusted {
  issuer: IssuerConfig
  keys: ReturnType<typeof keySet>
}

function checkSignature(token: string, issuer: IssuerConfig, key: SigningKey) {
  const options = {
    issuer: issuer.issuer,
    audience: 'audience' in issuer ? issuer.audience : null,
    // The library reads the time itself: the claims are held against the one clock, not against two.
    graceSeconds: Number.POSITIVE_INFINITY,
  }
  try {
    // The key object comes with its key, so that one replaced under the same kid is never taken from a cache.
    verifyJwtSync(token, key.jwk, options, () => key.publicKey)
  } catch (cause) {
    throw new Failure('token_rejected', {}, cause)
  }
}
