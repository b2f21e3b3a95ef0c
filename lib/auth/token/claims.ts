import { assertToken } from './assert-token.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import { lastTimeSeconds } from '../../domain/iso-time.ts'
import type { JsonObject } from '../../domain/json.ts'
import { subjectIn } from './identity.ts'
import { isNonEmptyString } from './strict-json.ts'

/** How far an issuer's clock may run ahead of ours. */
export const graceSeconds = 30
const nameCharsMax = 256

/**
 * Checks every claim that decides whether the token is meant for this service, now.
 *
 * The times are checked more strictly than aws-jwt-verify does: it accepts a token without `exp`, adds the grace to `exp`,
 * and knows no latest time.
 *
 * @throws Failure `token_rejected`
 * @see RFC 7519 §4.1; RFC 9068 §2.2 (`exp`, `aud`, and a subject are required)
 */
export function checkClaims(claims: JsonObject, issuer: IssuerConfig, nowMs: number): void {
  const { exp, iat, nbf } = claims
  const latestMs = nowMs + graceSeconds * 1000
  assertToken(isTime(exp), 'exp missing or malformed')
  assertToken(exp * 1000 > nowMs, 'expired')
  assertToken(iat === undefined || (isTime(iat) && iat * 1000 <= latestMs), 'iat malformed or ahead')
  assertToken(nbf === undefined || (isTime(nbf) && nbf * 1000 <= latestMs), 'nbf malformed or ahead')
  // Such a token is valid only with a proof of possession (RFC 9449, RFC 8705), which this service does not check.
  assertToken(!Object.hasOwn(claims, 'cnf'), 'bound to a key')
  assertToken(isName(subjectIn(claims, issuer)), 'subject missing or malformed')
  checkClient(claims, issuer)
  checkAudience(claims, issuer)
}

/** Amazon Cognito's access tokens name their client. */
function checkClient({ client_id, token_use }: JsonObject, { clientIds }: IssuerConfig): void {
  if (clientIds === undefined) return
  assertToken(token_use === 'access', 'token_use is not access')
  assertToken(new Set<unknown>(clientIds).has(client_id), 'meant for another client')
}

function checkAudience({ aud }: JsonObject, { audience = [], clientIds = [] }: IssuerConfig): void {
  // Amazon Cognito's access tokens have one only if they are bound to a resource (RFC 8707).
  if (aud === undefined && clientIds.length > 0) return
  assertToken(aud !== undefined, 'no aud')
  const named = [aud].flat()
  assertToken(named.every(isNonEmptyString), 'aud malformed')
  const isOurs = [audience, clientIds].flat().some(each => named.includes(each))
  assertToken(isOurs, 'meant for another audience')
}

/** A later time is one in milliseconds by mistake, and its token would never expire. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= lastTimeSeconds

/** Well-formed, because a lone surrogate is replaced when it is stored: two subjects would become one. */
const isName = (value: unknown): value is string =>
  isNonEmptyString(value) && value.length <= nameCharsMax && value.isWellFormed()
