import { describe, expect, test } from 'vitest'
import { membershipItem, type Item } from '../../lib/store/items.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { faultRun } from './fault-run.ts'
import { type Scene, stage } from './scene.ts'
import { sweep } from './sweep.ts'

const makeScene = stage()

/** A scene whose items another writer has given what cannot be right. */
const garbled = (provider: Item, expiry: unknown) => async (count: number) => {
  const scene: Scene = await makeScene(count)
  const { id } = scene.provider
  const edges = scene.users.slice(0, 1).map(user => ({ ...membershipItem(id, user.id), expires_at: expiry }))
  await scene.put([...edges, { ...(await scene.read(providerKey(id))), ...provider }])
  return scene
}
const old = '2026-01-01T00:00:00.000Z'
const oldRemoval = { removal_id: 'old', removal_started_at: old, removed_by: 'old', retained_until: 5 }

const scenes = {
  'an active provider with all of an older removal': garbled(
    { ...oldRemoval, removed_at: old, expires_at: 5 },
    5,
  ),
  'a removal under way without a readable retained_until': garbled(
    { ...oldRemoval, state: 'removing', retained_until: 'soon' },
    'soon',
  ),
  'a removal under way of which nothing is readable': garbled({ state: 'removing', removal_id: 5 }, 5),
}

describe.each(Object.entries(scenes))('from %s, a removal', (_, scene) => {
  test('that crashes at any call, and is sent again, keeps every promise', async () => {
    const { crashes, broken } = await sweep(scene, 2)
    expect(broken).toEqual([])
    // find, members, an unlink each, a mark, finish, a read; twice
    expect(crashes).toBeGreaterThanOrEqual(14)
  })

  test.each(
    process.env.TEST_FULL
      ? ['is sent twice', 'loses its reply', 'stalls, and lands late']
      : ['stalls, and lands late'],
  )('in which one call %s keeps every promise, whichever call it is', async kind => {
    const { calls } = await faultRun(await scene(2), {}, false)
    for (let n = 1; n <= calls; n++) {
      const run = await faultRun(await scene(2), { [n]: kind }, true)
      expect(run.broken, `at call ${n}`).toEqual([])
    }
  })
})
