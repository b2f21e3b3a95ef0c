import { keyName } from '../algorithms.ts'
import { assertToken } from './assert-token.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { JsonObject } from '../../domain/json.ts'

/** Parameters by which a token would choose its own key or change how it is read. */
const forbidden = ['crit', 'b64', 'zip', 'jwk', 'jku', 'x5u', 'x5c']
const kidCharsMax = 256

/**
 * Checks a token's header against the issuer's policy.
 *
 * @returns the name of the key that the token is said to be signed with; its `kid` has 1 to 256 characters
 * @throws Failure `token_rejected`
 * @see RFC 7515 §4.1, RFC 7797 §6 (`b64`), RFC 8725 §3.1 and §3.11, RFC 9068 §4
 */
export function checkHeader(header: JsonObject, issuer: IssuerConfig): string {
  const { alg, kid, typ } = header
  assertToken(!forbidden.some(name => Object.hasOwn(header, name)), 'forbidden header parameter')
  const allowed = issuer.algorithms.find(each => each === alg)
  assertToken(allowed !== undefined, 'algorithm not allowed')
  if ('typ' in issuer) assertToken(isTyp(typ, issuer.typ), 'wrong typ')
  assertToken(typeof kid === 'string' && kid !== '' && kid.length <= kidCharsMax, 'kid missing or malformed')
  return keyName(allowed, kid)
}

function isTyp(typ: unknown, wanted: string | null): boolean {
  if (wanted === null && typ === undefined) return true
  return typeof typ === 'string' && mediaType(typ) === mediaType(wanted ?? 'JWT')
}

const mediaType = (typ: string) => typ.toLowerCase().replace(/^application\//, '')
