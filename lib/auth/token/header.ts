import { assertToken } from './assert-token.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { JsonObject } from './strict-json.ts'

/** Parameters by which a token would choose its own key or change how it is read. */
const forbidden = ['crit', 'b64', 'zip', 'jwk', 'jku', 'x5u', 'x5c']
const kidCharsMax = 256

/**
 * The id of the key that the token says it is signed with.
 *
 * @throws Failure `token_rejected` when the issuer's policy does not allow such a header
 * @see RFC 7515 §4.1, RFC 7797 §6 (`b64`), RFC 8725 §3.1 and §3.11, RFC 9068 §4
 */
export function kidOf(header: JsonObject, issuer: IssuerConfig): string {
  const { alg, kid, typ } = header
  assertToken(!forbidden.some(name => Object.hasOwn(header, name)), 'forbidden header parameter')
  assertToken(
    issuer.algorithms.some(each => each === alg),
    'algorithm not allowed',
  )
  if ('typ' in issuer) assertToken(isTyp(typ, issuer.typ), 'wrong typ')
  assertToken(typeof kid === 'string' && kid !== '' && kid.length <= kidCharsMax, 'kid missing or malformed')
  return kid
}

function isTyp(typ: unknown, wanted: string | null): boolean {
  if (wanted === null && typ === undefined) return true
  return typeof typ === 'string' && mediaType(typ) === mediaType(wanted ?? 'JWT')
}

const mediaType = (typ: string) => typ.toLowerCase().replace(/^application\//, '')
