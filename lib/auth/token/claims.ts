import { assertToken } from './assert-token.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import { isNonEmptyString, type JsonObject } from './strict-json.ts'

/** The end of the year 9999. A later time is one in milliseconds by mistake, and its token would never expire. */
const secondsMax = 253_402_300_799
const nameCharsMax = 256

/**
 * Checks every claim that decides whether the token is meant for this service, now.
 *
 * @throws Failure `token_rejected`
 * @see RFC 7519 §4.1; RFC 9068 §2.2 (`exp`, `aud`, `sub` are required)
 */
export function checkClaims(claims: JsonObject, issuer: IssuerConfig, nowMs: number): void {
  const { exp, iat, nbf, aud, sub, jti } = claims
  const latestMs = nowMs + issuer.clockGraceSeconds * 1000
  assertToken(isTime(exp) && exp * 1000 > nowMs, 'exp missing, malformed or past')
  assertToken(iat === undefined || (isTime(iat) && iat * 1000 <= latestMs), 'iat malformed or ahead')
  assertToken(nbf === undefined || (isTime(nbf) && nbf * 1000 <= latestMs), 'nbf malformed or ahead')
  assertToken(jti === undefined || typeof jti === 'string', 'jti malformed')
  // Such a token is valid only with a proof of possession (RFC 9449, RFC 8705), which this service does not check.
  assertToken(!Object.hasOwn(claims, 'cnf'), 'bound to a key')
  assertToken(isName(sub), 'sub missing or malformed')
  assertToken(isName(claims[issuer.subjectClaim]), 'subject missing or malformed')
  const audiences = aud === undefined ? [] : [aud].flat()
  assertToken(audiences.every(isNonEmptyString), 'aud malformed')
  if ('clientIds' in issuer) checkClient(claims, issuer.clientIds, issuer.tokenUse)
  else assertToken(overlap([issuer.audience].flat(), audiences), 'meant for another audience')
}

function checkClient({ client_id, token_use }: JsonObject, clientIds: readonly string[], tokenUse: string) {
  assertToken(overlap(clientIds, [client_id]), 'issued to another client')
  assertToken(token_use === tokenUse, 'meant for another use')
}

const overlap = (accepted: readonly string[], named: readonly unknown[]) =>
  accepted.some(each => named.includes(each))

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= secondsMax

/** Well-formed, because a lone surrogate is replaced when it is stored: two subjects would become one. */
const isName = (value: unknown): value is string =>
  isNonEmptyString(value) && value.length <= nameCharsMax && value.isWellFormed()
