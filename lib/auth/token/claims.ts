import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import { assertToken } from './assert-token.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { JsonObject } from '../../domain/json.ts'
import { isNonEmptyString } from './strict-json.ts'

/** The end of the year 9999. A later time is one in milliseconds by mistake, and its token would never expire. */
const secondsMax = 253_402_300_799
const nameCharsMax = 256

/**
 * Checks every claim that decides whether the token is meant for this service, now.
 *
 * The times are checked more strictly than aws-jwt-verify does: it accepts a token without `exp`, adds the grace to `exp`,
 * and knows no latest time.
 *
 * @returns what aws-jwt-verify checks again with the signature, by the system's time: the claims, and what they must satisfy
 * @throws Failure `token_rejected`
 * @see RFC 7519 §4.1; RFC 9068 §2.2 (`exp`, `aud`, `sub` are required)
 */
export function checkClaims(claims: JsonObject, issuer: IssuerConfig, nowMs: number) {
  const { exp, iat, nbf, aud, sub, jti, client_id, token_use } = claims
  const latestMs = nowMs + issuer.clockGraceSeconds * 1000
  assertToken(isTime(exp) && exp * 1000 > nowMs, 'exp missing, malformed or past')
  assertToken(iat === undefined || (isTime(iat) && iat * 1000 <= latestMs), 'iat malformed or ahead')
  assertToken(nbf === undefined || (isTime(nbf) && nbf * 1000 <= latestMs), 'nbf malformed or ahead')
  assertToken(jti === undefined || typeof jti === 'string', 'jti malformed')
  // Such a token is valid only with a proof of possession (RFC 9449, RFC 8705), which this service does not check.
  assertToken(!Object.hasOwn(claims, 'cnf'), 'bound to a key')
  assertToken(isName(sub), 'sub missing or malformed')
  assertToken(isName(claims[issuer.subjectClaim]), 'subject missing or malformed')
  assertToken(aud === undefined || [aud].flat().every(isNonEmptyString), 'aud malformed')
  assertToken(!('tokenUse' in issuer) || token_use === issuer.tokenUse, 'meant for another use')
  // Amazon Cognito's access tokens name a client instead of an audience.
  const named = 'clientIds' in issuer ? [client_id] : [aud].flat()
  const audience = 'clientIds' in issuer ? issuer.clientIds : [issuer.audience].flat()
  const isMeantForUs = audience.some(each => named.includes(each))
  assertToken(isMeantForUs, 'meant for another audience or client')
  const policy = { issuer: issuer.issuer, audience, graceSeconds: issuer.clockGraceSeconds }
  return { payload: { ...claims, aud: named } as JwtPayload, policy }
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= secondsMax

/** Well-formed, because a lone surrogate is replaced when it is stored: two subjects would become one. */
const isName = (value: unknown): value is string =>
  isNonEmptyString(value) && value.length <= nameCharsMax && value.isWellFormed()
