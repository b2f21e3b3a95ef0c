import type { IssuerConfig } from '../issuer-config.ts'
import type { JsonObject } from '../../domain/json.ts'
import { isNonEmptyString } from './strict-json.ts'

/** The caller and the scopes of a verified token. */
export interface Identity {
  issuer: string
  subject: string
  /** `client_id` (RFC 9068), else `azp` (OpenID Connect), else Okta's `cid`. */
  clientId: string | undefined
  scopes: ReadonlySet<string>
}

/**
 * The identity in claims that have been checked. What is of a wrong type in them, also inside a list, counts as absent.
 *
 * @see RFC 6749 §3.3 (scopes in one string)
 */
export function identityOf(
  claims: JsonObject,
  { issuer, subjectClaim, scopeClaims }: IssuerConfig,
): Identity {
  return {
    issuer,
    subject: String(claims[subjectClaim]),
    clientId: [claims.client_id, claims.azp, claims.cid].find(isNonEmptyString),
    scopes: new Set(scopeClaims.flatMap(name => scopesIn(claims[name], spaceSeparated.has(name)))),
  }
}

const spaceSeparated = new Set(['scope', 'scp'])

function scopesIn(claim: unknown, isSpaceSeparated: boolean): string[] {
  const entries = isSpaceSeparated && typeof claim === 'string' ? claim.split(' ') : claim
  return Array.isArray(entries) ? entries.filter(isNonEmptyString) : []
}
