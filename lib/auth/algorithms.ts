import type { SupportedSignatureAlgorithm } from 'aws-jwt-verify/jwt-verifier'

/** A JWS `alg` that aws-jwt-verify knows. */
export type Algorithm = SupportedSignatureAlgorithm

interface AlgorithmParameters {
  /** The key's type, and its curve where there is a choice. */
  kty: 'RSA' | 'EC' | 'OKP'
  crv?: string
}

/**
 * The signature algorithms that an issuer may be configured for.
 *
 * @see RFC 7518 §3.1 (RS and ES), RFC 8037 §3.1 (EdDSA)
 */
export const algorithms: Readonly<Record<Algorithm, AlgorithmParameters>> = {
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  RS512: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
}

/** The name of a key in its issuer's set: keys of different algorithms may share a `kid`. */
export const keyName = (alg: Algorithm, kid: string) => `${alg} ${kid}`
