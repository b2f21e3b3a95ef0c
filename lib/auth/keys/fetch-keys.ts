import { abortable, type Clock, timeLimit } from '../../time.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import { discoverJwksUri } from './discovery.ts'
import type { FetchJson } from './fetch-json.ts'
import { type Keys, usableKeys } from './usable-keys.ts'

export interface KeyPorts {
  clock: Clock
  fetchJson: FetchJson
  /** How long one fetch may take, discovery included. */
  fetchMaxMs: number
}

/** The issuer answers, but with no key that may be used. */
export const noUsableKey = new Error('the key set has no usable key')

/**
 * Fetches the usable keys of an issuer. The URL is discovered each time, because an issuer may move its keys.
 *
 * @throws `noUsableKey`; the signal's reason; any other error when the keys are not fetched within `fetchMaxMs`
 */
export async function fetchKeys(
  { issuer, jwksUri, algorithms }: IssuerConfig,
  { clock, fetchJson, fetchMaxMs }: KeyPorts,
  signal: AbortSignal,
): Promise<Keys> {
  signal.throwIfAborted()
  const tookTooLong = () => new Error(`not fetched within ${fetchMaxMs} ms`)
  const limit = timeLimit(clock, clock.nowMs() + fetchMaxMs, tookTooLong, signal)
  const fetched = async () =>
    fetchJson(jwksUri ?? (await discoverJwksUri(issuer, fetchJson, limit.signal)), limit.signal)
  try {
    const keys = usableKeys(await abortable(fetched(), limit.signal), algorithms)
    if (keys.size === 0) throw noUsableKey
    return keys
  } finally {
    limit.end()
  }
}
