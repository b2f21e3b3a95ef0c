import { keyName } from '../algorithms.ts'
import { assertToken } from './assert-token.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { JsonObject } from '../../domain/json.ts'

const accessToken = 'at+jwt'
const kidCharsMax = 256

/**
 * Checks a token's header against the issuer's policy. What else the header has is neither read nor followed: the key
 * comes from the issuer's set alone.
 *
 * @returns the name of the key that the token is said to be signed with; its `kid` has 1 to 256 characters
 * @throws Failure `token_rejected`
 * @see RFC 7515 §4 (what is not understood is ignored) and §4.1.11 (unless `crit` names it), RFC 7797 §6 (`b64`),
 * RFC 8725 §3.1 and §3.11, RFC 9068 §4
 */
export function checkHeader(header: JsonObject, issuer: IssuerConfig): string {
  const { alg, kid, typ } = header
  assertToken(!Object.hasOwn(header, 'crit') && !Object.hasOwn(header, 'b64'), 'header with crit or b64')
  const allowed = issuer.algorithms.find(each => each === alg)
  assertToken(allowed !== undefined, 'algorithm not allowed')
  assertToken(isOfType(typ, issuer.typ), 'wrong typ')
  assertToken(typeof kid === 'string' && kid !== '' && kid.length <= kidCharsMax, 'kid missing or malformed')
  return keyName(allowed, kid)
}

/** Other types, such as `logout+jwt` and `dpop+jwt`, are for other uses. */
function isOfType(typ: unknown, only: string | undefined): boolean {
  if (typ === undefined) return only === undefined
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined
  return type === accessToken || (type === 'jwt' && only === undefined)
}
