import { Buffer } from 'node:buffer'
import {
  type JsonWebKey,
  type KeyObject,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
} from 'node:crypto'
import { type ProvidedContext, inject } from 'vitest'

export type Alg = 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA'
export type Members = Record<string, unknown>

export type Signer = ReturnType<typeof signer>

interface SignerOptions {
  issuer: string
  audience: string | string[]
  nowMs: () => number
  alg?: Alg
  kid?: string
  keys?: { privateKey: KeyObject; publicKey: KeyObject }
}

/** A token issuer with one key. */
export function signer({ issuer, audience, nowMs, alg = 'RS256', kid = 'key-1', keys }: SignerOptions) {
  const { privateKey, publicKey } = keys ?? keyPair(alg)
  const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
  return {
    publicJwk,
    privateKey,
    publicKey,
    /** The key set of the issuer. */
    jwks: { keys: [publicJwk as JsonWebKey & { kty: string }] },
    /**
     * Signs a token of this issuer that is valid for five minutes by default.
     *
     * @param claims replace or add claims; undefined omits a claim
     * @param header likewise for header parameters
     */
    sign(claims: Members = {}, header: Members = {}) {
      const now = Math.floor(nowMs() / 1000)
      const usual = { iss: issuer, aud: audience, sub: 'machine', iat: now, exp: now + 300 }
      return compact({ alg, typ: 'at+jwt', kid, ...header }, { ...usual, ...claims }, privateKey, alg)
    },
  }
}

/** A signed token with any header and payload. Texts and bytes can be malformed, as they are not encoded as JSON. */
export function compact(
  header: Members | string | Buffer,
  payload: Members | string | Buffer,
  key: KeyObject,
  alg: Alg = 'RS256',
): string {
  const input = `${base64url(header)}.${base64url(payload)}`
  const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`
  const signature = signBytes(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${base64url(signature)}`
}

export function base64url(part: Members | string | Buffer): string {
  const bytes = Buffer.isBuffer(part) || typeof part === 'string' ? part : JSON.stringify(part)
  return Buffer.from(bytes as string).toString('base64url')
}

const curves = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const

export function keyPair(alg: Alg, modulusLength = 2048, publicExponent = 65_537) {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  if (alg === 'ES256' || alg === 'ES384' || alg === 'ES512')
    return generateKeyPairSync('ec', { namedCurve: curves[alg] })
  return generateKeyPairSync('rsa', { modulusLength, publicExponent })
}

/** An RSA key pair of 2048 bits that all test files of a run share. */
export function sharedKeys(owner: keyof ProvidedContext['rsaKeys']) {
  const privateKey = createPrivateKey(inject('rsaKeys')[owner])
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
