import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Jwk } from 'aws-jwt-verify/jwk'
import { type Algorithm, algorithms, keyName } from '../algorithms.ts'
import { SigningKey } from '../token/signing-key.ts'
import { isJsonObject, type JsonObject } from '../../domain/json.ts'

/** Usable keys by name. */
export type Keys = ReadonlyMap<string, SigningKey>

const rsaBitsMin = 2048
const exponentMin = 65_537n
const exponentMax = 2n ** 32n
/** RFC 7518 §6.2.2, §6.3.2, §6.4; RFC 8037 §2 */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * The keys of a JWK Set that may verify a token; others are ignored.
 *
 * A key is for signatures of one of the allowed algorithms, is strong enough, and shows no private member. Its `kid`
 * is shared by no other key of that algorithm. A key without `alg` is bound to the only allowed algorithm that fits it;
 * when several fit, the token would choose, so the key is ignored.
 *
 * @throws Error when it is not a JWK Set
 * @see RFC 7517 §4 and §5, RFC 7518 §3.3 (2048 bits), RFC 8725 §3.1 (one algorithm per key)
 */
export function usableKeys(jwks: unknown, allowed: readonly Algorithm[]): Keys {
  if (!isJsonObject(jwks) || !Array.isArray(jwks.keys)) throw new Error('not a key set')
  const forSignatures = jwks.keys.filter(isJsonObject).flatMap(jwk => {
    const alg = isForVerifying(jwk) ? boundAlgorithm(jwk, allowed) : undefined
    if (alg === undefined || typeof jwk.kid !== 'string') return []
    return { id: { alg, kid: jwk.kid }, publicKey: importedKey(jwk) }
  })
  const usable = new Map<string, SigningKey>()
  for (const [name, [first, ...others]] of Map.groupBy(forSignatures, ({ id }) => keyName(id.alg, id.kid))) {
    const { id, publicKey } = first ?? {}
    if (publicKey !== undefined && others.every(other => other.publicKey?.equals(publicKey)))
      usable.set(name, new SigningKey({ ...publicKey.export({ format: 'jwk' }), ...id } as Jwk))
  }
  return usable
}

function isForVerifying({ use, key_ops }: JsonObject): boolean {
  const verifies = key_ops === undefined || (Array.isArray(key_ops) && key_ops.includes('verify'))
  return verifies && (use === undefined || use === 'sig')
}

function boundAlgorithm({ alg, kty, crv }: JsonObject, allowed: readonly Algorithm[]): Algorithm | undefined {
  const fitting = allowed.filter(each => kty === algorithms[each].kty && crv === algorithms[each].crv)
  if (alg === undefined) return fitting.length === 1 ? fitting[0] : undefined
  return fitting.find(each => each === alg)
}

function importedKey(jwk: JsonObject): KeyObject | undefined {
  if (privateMembers.some(name => Object.hasOwn(jwk, name))) return undefined
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    return isStrong(key) ? key : undefined
  } catch {
    return undefined
  }
}

/** An exponent of 1 would make every signature valid; one that is even cannot be inverted. */
function isStrong({ asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (asymmetricKeyType !== 'rsa') return true
  const { modulusLength: bits = 0, publicExponent: e = 0n } = details ?? {}
  return bits >= rsaBitsMin && e >= exponentMin && e <= exponentMax && e % 2n === 1n
}
