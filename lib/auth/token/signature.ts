import { Buffer } from 'node:buffer'
import { type KeyObject, verify } from 'node:crypto'
import { type Algorithm, algorithms } from '../algorithms.ts'
import type { CompactToken } from './compact.ts'

/** A public key, and the only algorithm that it is used with. */
export interface SigningKey {
  alg: Algorithm
  publicKey: KeyObject
}

/**
 * Whether the token is signed with the key, by the key's own algorithm.
 *
 * @see RFC 7515 §5.2; RFC 7518 §3.3 (RSASSA-PKCS1-v1_5), §3.4 (ECDSA: two integers of full length); RFC 8725 §3.1
 */
export function isSignedWith(
  { header, signingInput, signature }: Omit<CompactToken, 'claims'>,
  { alg, publicKey }: SigningKey,
): boolean {
  if (header.alg !== alg) return false
  const verifier = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  return verify(algorithms[alg].digest, Buffer.from(signingInput), verifier, signature)
}
