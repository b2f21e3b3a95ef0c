import { isJsonObject } from '../../domain/json.ts'

/** An https URL without user info, which Node would send as a password. */
export const httpsUrl = /^https:\/\/[^\s/?#\\@]+(?:[/?#]\S*)?$/

/**
 * The URL of an issuer's discovery document.
 *
 * @see OpenID Connect Discovery 1.0 §4 (the slash at the end is left out)
 */
export const discoveryUrl = (issuer: string) =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/**
 * The https URL of the key set that an issuer's discovery document names.
 *
 * @throws Error when the document is not the issuer's own or names no `httpsUrl`
 * @see OpenID Connect Discovery 1.0 §4.3 (the issuer must be the very same)
 */
export function keysUrlIn(document: unknown, issuer: string): string {
  if (!isJsonObject(document) || document.issuer !== issuer) throw new Error('names another issuer')
  const { jwks_uri: url } = document
  if (typeof url !== 'string' || !httpsUrl.test(url)) throw new Error('no https jwks_uri')
  return url
}
