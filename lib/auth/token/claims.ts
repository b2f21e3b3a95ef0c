import { assertToken } from './assert-token.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { JsonObject } from './strict-json.ts'

/** The end of the year 9999: a later time is milliseconds by mistake, and its token would never end. */
const secondsMax = 253_402_300_799
const nameCharsMax = 256

/**
 * Checks every claim that decides whether the token is meant for this service, now.
 *
 * @throws Failure `token_rejected`
 * @see RFC 7519 §4.1; RFC 9068 §2.2 (`exp`, `aud`, `sub` are required)
 */
export function checkClaims(claims: JsonObject, issuer: IssuerConfig, nowMs: number): void {
  const { exp, iat, nbf, sub, jti } = claims
  const latestMs = nowMs + issuer.clockGraceSeconds * 1000
  assertToken(isTime(exp) && exp * 1000 > nowMs, 'exp missing, malformed or past')
  assertToken(iat === undefined || (isTime(iat) && iat * 1000 <= latestMs), 'iat malformed or ahead')
  assertToken(nbf === undefined || (isTime(nbf) && nbf * 1000 <= latestMs), 'nbf malformed or ahead')
  assertToken(jti === undefined || typeof jti === 'string', 'jti malformed')
  // Such a token is worth something only with a proof of possession (RFC 9449, RFC 8705), and nobody here asks for it.
  assertToken(!Object.hasOwn(claims, 'cnf'), 'bound to a key')
  assertToken(isName(sub), 'sub missing or malformed')
  assertToken(isName(claims[issuer.subjectClaim]), 'subject missing or malformed')
  if ('clientIds' in issuer) checkClient(claims, issuer.clientIds, issuer.tokenUse)
  else checkAudience(claims.aud, [issuer.audience].flat())
}

function checkAudience(aud: unknown, accepted: readonly string[]) {
  const named = Array.isArray(aud) ? aud : [aud]
  assertToken(named.length > 0 && named.every(isFilled), 'aud missing or malformed')
  assertToken(
    named.some(each => accepted.includes(each)),
    'meant for another audience',
  )
}

function checkClient({ client_id, token_use }: JsonObject, clientIds: readonly string[], tokenUse: string) {
  assertToken(
    clientIds.some(each => each === client_id),
    'issued to another client',
  )
  assertToken(token_use === tokenUse, 'meant for another use')
}

const isFilled = (value: unknown) => typeof value === 'string' && value !== ''

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= secondsMax

/** Well-formed, for a lone surrogate is replaced when stored: two subjects would become one. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= nameCharsMax && value.isWellFormed()
