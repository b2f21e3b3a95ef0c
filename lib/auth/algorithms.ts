/** A JWS `alg`. */
export type Algorithm = 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA'

interface AlgorithmParameters {
  /** The key's type, and its curve where there is a choice. */
  kty: 'RSA' | 'EC' | 'OKP'
  crv?: string
  /** The length of an EC key's `x` and `y` (RFC 7518 §6.2.1.2). */
  coordinateBytes?: number
  /** Node's name of the digest; null where the algorithm hashes by itself. */
  digest: string | null
}

/**
 * The signature algorithms that an issuer may be configured for.
 *
 * @see RFC 7518 §3.1 (RS and ES), RFC 8037 §3.1 (EdDSA)
 */
export const algorithms: Readonly<Record<Algorithm, AlgorithmParameters>> = {
  RS256: { kty: 'RSA', digest: 'sha256' },
  RS384: { kty: 'RSA', digest: 'sha384' },
  RS512: { kty: 'RSA', digest: 'sha512' },
  ES256: { kty: 'EC', crv: 'P-256', coordinateBytes: 32, digest: 'sha256' },
  ES384: { kty: 'EC', crv: 'P-384', coordinateBytes: 48, digest: 'sha384' },
  ES512: { kty: 'EC', crv: 'P-521', coordinateBytes: 66, digest: 'sha512' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', digest: null },
}

/** The name of a key in its issuer's set: keys of different algorithms may share a `kid`. */
export const keyName = (alg: Algorithm, kid: string) => `${alg} ${kid}`
