import { reasonOf } from '../../domain/failure.ts'
import { abortable, type Clock, timeLimit } from '../../time.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import { discoveryUrl, keysUrlIn } from './discovery.ts'
import type { FetchJson } from './fetch-json.ts'
import { type Keys, usableKeys } from './usable-keys.ts'

export interface KeyPorts {
  clock: Clock
  fetchJson: FetchJson
}

/** Discovery included. A caller with `Prefer: wait=4` sees its end, and then gets known keys if the issuer hangs. */
export const fetchMaxMs = 3_000
const tookTooLong = () => new Error(`not fetched within ${fetchMaxMs} ms`)

/**
 * Fetches the usable keys of an issuer; there may be none. The URL is discovered each time, because an issuer may move
 * its keys.
 *
 * @throws Error that names the URL at fault
 */
export async function fetchKeys(issuer: IssuerConfig, { clock, fetchJson }: KeyPorts): Promise<Keys> {
  const limit = timeLimit(clock, clock.nowMs() + fetchMaxMs, tookTooLong)
  const fetched = () => abortable(fetchJson(url, limit.signal), limit.signal)
  let url = issuer.jwksUri ?? discoveryUrl(issuer.issuer)
  try {
    if (issuer.jwksUri === undefined) url = keysUrlIn(await fetched(), issuer.issuer)
    return usableKeys(await fetched(), issuer.algorithms)
  } catch (error) {
    throw new Error(`${url}: ${reasonOf(error)}`)
  } finally {
    limit.end()
  }
}
