import { Buffer } from 'node:buffer'
import { type KeyObject, verify } from 'node:crypto'
import { type Algorithm, algorithms } from '../algorithms.ts'
import { assertToken } from './assert-token.ts'
import type { CompactToken } from './compact.ts'

/** A public key, and the only algorithm that it is used with. */
export interface SigningKey {
  alg: Algorithm
  publicKey: KeyObject
}

/**
 * Checks that the token was signed with the key, by the key's own algorithm.
 *
 * @throws Failure `token_rejected`
 * @see RFC 7515 §5.2; RFC 7518 §3.3 (RSASSA-PKCS1-v1_5), §3.4 (ECDSA: two integers of full length); RFC 8725 §3.1
 */
export function checkSignature({ header, signingInput, signature }: CompactToken, key: SigningKey): void {
  assertToken(header.alg === key.alg, "not the key's algorithm")
  const { digest } = algorithms[key.alg]
  const verifier = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const
  assertToken(verify(digest, Buffer.from(signingInput), verifier, signature), 'wrong signature')
}
