import { isJsonObject } from '../../domain/json.ts'
import type { FetchJson } from './fetch-json.ts'

/** An https URL without user info, which Node would send as a password. */
export const httpsUrl = /^https:\/\/[^\s/?#\\@]+(?:[/?#]\S*)?$/

/**
 * The https URL of an issuer's key set, as its discovery document names it.
 *
 * @throws Error when the document is not the issuer's own or names no `httpsUrl`; whatever `fetchJson` throws
 * @see OpenID Connect Discovery 1.0 §4 (the slash at the end is left out; the issuer must be the very same)
 */
export async function discoverJwksUri(
  issuer: string,
  fetchJson: FetchJson,
  signal: AbortSignal,
): Promise<string> {
  const found = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal)
  if (!isJsonObject(found) || found.issuer !== issuer)
    throw new Error('the discovery document is not that of the issuer')
  const { jwks_uri: uri } = found
  if (typeof uri !== 'string' || !httpsUrl.test(uri)) throw new Error('no https jwks_uri')
  return uri
}
