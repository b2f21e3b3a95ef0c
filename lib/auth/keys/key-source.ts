import type { IssuerConfig } from '../issuer-config.ts'
import { isJsonObject } from '../token/strict-json.ts'

/** Fetches parsed JSON: a key set, or where it is; whatever it throws counts as an outage of the issuer. */
export type FetchKeys = (uri: string, signal: AbortSignal) => Promise<unknown>

/** Fetches an issuer's key set, not checked yet. */
export type KeySource = (signal: AbortSignal) => Promise<unknown>

/**
 * The key set at the configured place, else where the issuer itself says that it is.
 *
 * That is asked anew each time: were it remembered, an issuer that moved its keys would seem to have no new ones.
 */
export function keySource({ issuer, jwksUri }: IssuerConfig, fetchKeys: FetchKeys): KeySource {
  return async signal => fetchKeys(jwksUri ?? (await discover(issuer, fetchKeys, signal)), signal)
}

/** @see OpenID Connect Discovery 1.0 §4 (the slash at the end is left out; the issuer must be the very same) */
async function discover(issuer: string, fetchKeys: FetchKeys, signal: AbortSignal): Promise<string> {
  const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = await fetchKeys(place, signal)
  if (!isJsonObject(found) || found.issuer !== issuer)
    throw new Error('the discovery document is not that of the issuer')
  const { jwks_uri: uri } = found
  if (typeof uri !== 'string' || !uri.startsWith('https://')) throw new Error('no https jwks_uri')
  return uri
}
