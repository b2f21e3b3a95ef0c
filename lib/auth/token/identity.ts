import type { IssuerConfig } from '../issuer-config.ts'
import type { JsonObject } from '../../domain/json.ts'
import { isNonEmptyString } from './strict-json.ts'

/** The caller and the scopes of a verified token. */
export interface Identity {
  issuer: string
  subject: string
  /** `client_id` (RFC 9068), else `azp` (OpenID Connect), else `cid` (Okta), else `appid` (Entra v1, AD FS). */
  clientId: string | undefined
  scopes: ReadonlySet<string>
}

/**
 * The identity in claims that have been checked. What is of a wrong type in them, also inside a list, counts as absent.
 *
 * @see RFC 6749 §3.3 (scopes in one string)
 */
export function identityOf(claims: JsonObject, issuer: IssuerConfig): Identity {
  return {
    issuer: issuer.issuer,
    subject: String(subjectIn(claims, issuer)),
    clientId: [claims.client_id, claims.azp, claims.cid, claims.appid].find(isNonEmptyString),
    scopes: new Set(issuer.scopeClaims.flatMap(name => scopesIn(claims[name], spaceSeparated.has(name)))),
  }
}

/** The first of the issuer's subject claims that is there and not null, whatever its type. */
export const subjectIn = (claims: JsonObject, { subjectClaim }: IssuerConfig): unknown =>
  [subjectClaim]
    .flat()
    .map(name => claims[name])
    .find(value => value !== undefined && value !== null)

const spaceSeparated = new Set(['scope', 'scp'])

function scopesIn(claim: unknown, isSpaceSeparated: boolean): string[] {
  const entries = isSpaceSeparated && typeof claim === 'string' ? claim.split(' ') : claim
  return Array.isArray(entries) ? entries.filter(isNonEmptyString) : []
}
