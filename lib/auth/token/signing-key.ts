import type { Jwk } from 'aws-jwt-verify/jwk'
import type { DecomposedJwt } from 'aws-jwt-verify/jwt'
import { JwtVerifierBase } from 'aws-jwt-verify/jwt-verifier'
import type { IssuerConfig } from '../issuer-config.ts'
import { graceSeconds } from './claims.ts'

/** What the claims must satisfy, at the system's time. Amazon Cognito's access tokens may lack an audience. */
const policyOf = ({ issuer, audience, clientIds }: IssuerConfig) => ({
  issuer,
  audience: clientIds ? null : (audience ?? null),
  graceSeconds,
})

/** To the library, the key's issuer and the URL of its key set, by which it finds the key that it was given. */
const neverFetched = { issuer: '', jwksUri: 'never fetched' }

/**
 * A public key, with which aws-jwt-verify verifies tokens of the key's only algorithm.
 *
 * Each key has a verifier of its own: the library finds a key by its `kid` alone, and never forgets an imported key. Its
 * public verifiers parse the token themselves, and refuse a `scope` that is a list, as Duende IdentityServer sends it.
 */
export class SigningKey extends JwtVerifierBase<ReturnType<typeof policyOf>, typeof neverFetched, false> {
  /** @param jwk with `kid` and `alg` */
  constructor(jwk: Jwk) {
    super(neverFetched)
    this.cacheJwks({ keys: [jwk] })
  }

  /**
   * Whether the token is signed with this key, and its claims satisfy the issuer's policy.
   *
   * @see RFC 7515 §5.2; RFC 7518 §3.3 and §3.4; RFC 7519 §4.1; RFC 8725 §3.1
   */
  accepts(token: DecomposedJwt, issuer: IssuerConfig): boolean {
    try {
      this.verifyDecomposedJwtSync(token, neverFetched.jwksUri, policyOf(issuer))
      return true
    } catch {
      return false // the library's errors quote the token
    }
  }
}
