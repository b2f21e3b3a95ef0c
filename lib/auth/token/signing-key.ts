import type { Jwk } from 'aws-jwt-verify/jwk'
import type { DecomposedJwt } from 'aws-jwt-verify/jwt'
import { JwtVerifierBase } from 'aws-jwt-verify/jwt-verifier'

/** What the claims of a token must satisfy, at the system's time. */
type Policy = { issuer: string; audience: string[]; graceSeconds: number }

/** The name of the key's place in its verifier, which never fetches. */
const place = { issuer: '', jwksUri: 'cache' }

/**
 * A public key, with which aws-jwt-verify verifies tokens of the key's only algorithm.
 *
 * Each key has a verifier of its own: the library finds a key by its `kid` alone, and never forgets an imported key.
 */
export class SigningKey extends JwtVerifierBase<Policy, typeof place, false> {
  /** @param jwk with `kid` and `alg` */
  constructor(jwk: Jwk) {
    super(place)
    this.cacheJwks({ keys: [jwk] })
  }

  /**
   * Whether the token is signed with this key, and its claims satisfy the policy.
   *
   * @see RFC 7515 §5.2; RFC 7518 §3.3 and §3.4; RFC 7519 §4.1; RFC 8725 §3.1
   */
  accepts(token: DecomposedJwt, policy: Policy): boolean {
    try {
      this.verifyDecomposedJwtSync(token, place.jwksUri, policy)
      return true
    } catch {
      return false // the library's errors quote the token
    }
  }
}
