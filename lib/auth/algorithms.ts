interface AlgorithmParameters {
  /** The key's type, and its curve where there is a choice. */
  kty: 'RSA' | 'EC' | 'OKP'
  crv?: string
  /** Node's name of the digest; null where the algorithm hashes by itself. */
  digest: string | null
}

/**
 * The signature algorithms that an issuer may be configured for.
 *
 * @see RFC 7518 §3.1 (RS and ES), RFC 8037 §3.1 (EdDSA)
 */
export const algorithms = {
  RS256: { kty: 'RSA', digest: 'sha256' },
  RS384: { kty: 'RSA', digest: 'sha384' },
  RS512: { kty: 'RSA', digest: 'sha512' },
  ES256: { kty: 'EC', crv: 'P-256', digest: 'sha256' },
  ES384: { kty: 'EC', crv: 'P-384', digest: 'sha384' },
  ES512: { kty: 'EC', crv: 'P-521', digest: 'sha512' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', digest: null },
} as const satisfies Record<string, AlgorithmParameters>

/** A JWS `alg`. */
export type Algorithm = keyof typeof algorithms
