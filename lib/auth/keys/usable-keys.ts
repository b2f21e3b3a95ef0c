import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type Algorithm, algorithms } from '../algorithms.ts'
import type { SigningKey } from '../token/signature.ts'
import { isJsonObject, type JsonObject } from '../token/strict-json.ts'

/** Usable keys by `kid`. */
export type Keys = ReadonlyMap<string, SigningKey>

const rsaBitsMin = 2048
const exponentMin = 65_537n
const exponentMax = 2n ** 32n

/**
 * Those keys of a set that may verify a token; the others are passed over.
 *
 * A key needs a `kid` of its own, an `alg` of the list that fits its kind, and a strength that cannot be forged;
 * it must not be meant for encryption, nor show its private half. One that names no `alg`, as some issuers publish
 * them, is bound to the only algorithm of the list that fits; where several do, the token would choose.
 *
 * @throws Error when it is no key set at all
 * @see RFC 7517 §4 and §5, RFC 7518 §3.3 (2048 bits), RFC 8725 §3.1 (one algorithm per key)
 */
export function usableKeys(jwks: unknown, allowed: readonly Algorithm[]): Keys {
  if (!isJsonObject(jwks) || !Array.isArray(jwks.keys)) throw new Error('not a key set')
  const byKid = Map.groupBy(jwks.keys.filter(isJsonObject), jwk => jwk.kid)
  const usable = new Map<string, SigningKey>()
  for (const [kid, [jwk, ...others]] of byKid) {
    if (typeof kid !== 'string' || jwk === undefined || others.length > 0) continue
    const key = signingKey(jwk, allowed)
    if (key !== undefined) usable.set(kid, key)
  }
  return usable
}

function signingKey(jwk: JsonObject, allowed: readonly Algorithm[]): SigningKey | undefined {
  const alg = boundAlgorithm(jwk, allowed)
  if (alg === undefined || !mayVerify(jwk)) return undefined
  const publicKey = imported(jwk)
  if (publicKey === undefined || !isStrong(publicKey)) return undefined
  return { alg, publicKey }
}

function boundAlgorithm({ alg, kty, crv }: JsonObject, allowed: readonly Algorithm[]): Algorithm | undefined {
  const fitting = allowed.filter(each => {
    const parameters = algorithms[each]
    return kty === parameters.kty && crv === ('crv' in parameters ? parameters.crv : undefined)
  })
  if (alg === undefined) return fitting.length === 1 ? fitting[0] : undefined
  return fitting.find(each => each === alg)
}

function mayVerify({ use, key_ops, d }: JsonObject): boolean {
  const verifies = key_ops === undefined || (Array.isArray(key_ops) && key_ops.includes('verify'))
  return verifies && (use === undefined || use === 'sig') && d === undefined
}

function imported(jwk: JsonObject): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
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
