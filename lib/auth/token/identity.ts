import type { JsonObject } from './strict-json.ts'

/** Who calls, and what they may do, as the verified token says. */
export interface Identity {
  issuer: string
  subject: string
  /** `client_id` (RFC 9068), else `azp` (OpenID Connect), else Okta's `cid`. */
  clientId: string | undefined
  scopes: ReadonlySet<string>
}

/** Reads an identity from claims that were checked; a garbled claim of another kind counts as absent. */
export function identityOf(claims: JsonObject, issuer: string, subjectClaim: string): Identity {
  return {
    issuer,
    subject: String(claims[subjectClaim]),
    clientId: [claims.client_id, claims.azp, claims.cid].filter(isFilled)[0],
    scopes: new Set([
      ...words(claims.scope),
      ...words(claims.scp),
      ...list(claims.scp),
      ...list(claims.permissions),
    ]),
  }
}

/** RFC 6749 §3.3 */
const words = (claim: unknown) => (typeof claim === 'string' ? claim.split(' ').filter(isFilled) : [])

const list = (claim: unknown) => (Array.isArray(claim) ? claim.filter(isFilled) : [])

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''
