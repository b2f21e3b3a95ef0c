import { beforeAll, expect } from 'vitest'
import { userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

/**
 * One service for all tests of a file, with a provider to show and to remove, and a caller who is disabled. Its table
 * must be at the end what it was at the beginning: an attack changes nothing.
 */
export function untouched(settings: Record<string, string>): () => World {
  let serving: World | undefined
  beforeAll(async () => {
    const cleanUps: (() => Promise<void>)[] = []
    const w = await world(settings, cleanUp => cleanUps.push(cleanUp))
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    await w.put({ ...userItem(sampleUser(2)), is_disabled: true })
    const before = await w.items()
    serving = w
    // What is handed back runs at the end of the file; a hook that is registered in here would not.
    return async () => {
      const after = await w.items()
      for (const cleanUp of cleanUps) await cleanUp()
      expect(after).toEqual(before)
    }
  })
  return () => {
    if (serving === undefined) throw new Error('there is no service before the first test')
    return serving
  }
}

/** A service that trusts these issuers. */
export const serviceFor = (...issuers: object[]) => untouched({ ISSUERS: JSON.stringify(issuers) })
