import { beforeAll, expect } from 'vitest'
import { userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { type World, world } from '../support/world.ts'

/**
 * One service for all tests of a file, with provider 7 of user 1, and user 2, who is disabled. It expects that its table
 * is unchanged at the end of the file.
 *
 * @param prepare stores more items
 */
export function untouched(
  settings: Record<string, string>,
  prepare: (w: World) => Promise<void> = async () => {},
): () => World {
  let serving: World | undefined
  beforeAll(async () => {
    const cleanUps: (() => Promise<void>)[] = []
    const w = await world(settings, cleanUp => cleanUps.push(cleanUp))
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    await w.put({ ...userItem(sampleUser(2)), is_disabled: true })
    await prepare(w)
    const before = await w.items()
    serving = w
    // A returned function runs at the end of the file; a hook that is registered here would not.
    return async () => {
      const after = await w.items()
      for (const cleanUp of cleanUps) await cleanUp()
      expect(after).toEqual(before)
    }
  })
  return () => {
    if (serving === undefined) throw new Error('the service starts with the first test')
    return serving
  }
}
