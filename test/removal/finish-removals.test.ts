import { describe, expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { crashAt, under } from './faults.ts'
import { linkedIds, type Mistake, requestMaxMs, type Scene, stage } from './scene.ts'
import { sweep } from './sweep.ts'

const makeScene = stage()

/** A removal of so many users that its client gave up after so many calls, longer ago than a request can take. */
async function abandoned(count: number, calls = 3, agoMs = requestMaxMs + 1) {
  const scene = await makeScene(count)
  await under(crashAt(calls, 'before').plan, () => scene.attempt()).catch(() => {})
  scene.clock.advance(agoMs)
  return scene
}

const stateOf = async (scene: Scene) => (await scene.state()).provider?.state
const unlinkingFails: Mistake = store => ({
  ...store,
  unlinker: () => () => Promise.reject(new TypeError('a bug')),
})
const tableIsBusy: Mistake = store => ({
  ...store,
  unlinker: () => () => Promise.reject(new Failure('table_busy', {}, new Error('throttled'))),
})

describe('the scheduled function', () => {
  test('finishes a removal that its client has given up, and keeps who asked for it', async () => {
    const scene = await abandoned(30)
    expect(await stateOf(scene)).toBe('removing')
    const logged = await scene.run()
    const { provider, users } = await scene.state()
    expect(provider?.state).toBe('removed')
    expect(linkedIds(scene.provider, users)).toEqual([])
    expect(logged).toContainEqual(expect.objectContaining({ event: 'removal_finished', unlinked: 30 }))
    expect(logged.at(-1)).toEqual({ event: 'removals_checked', unfinished: 0, oldest_age_seconds: 0 })
    expect(await scene.attempt()).toEqual(scene.users.map(user => user.id))
    expect((await scene.read(providerKey(scene.provider.id)))?.removed_by).toBe('test')
  })

  test.each([
    [requestMaxMs, 'removing', 1, requestMaxMs / 1000],
    [requestMaxMs + 1, 'removed', 0, 0],
  ])('after %i ms leaves a removal as %s', async (agoMs, state, unfinished, seconds) => {
    const scene = await abandoned(2, 3, agoMs)
    const logged = await scene.run()
    expect(await stateOf(scene)).toBe(state)
    expect(logged.at(-1)).toEqual({ event: 'removals_checked', unfinished, oldest_age_seconds: seconds })
  })

  test('begins no removal, and repeats none', async () => {
    const active = await makeScene(2)
    expect(await active.run()).toEqual([{ event: 'removals_checked', unfinished: 0, oldest_age_seconds: 0 }])
    expect(await stateOf(active)).toBe('active')
    const removed = await makeScene(2)
    await removed.attempt()
    const before = await removed.state()
    await removed.run()
    expect(await removed.state()).toEqual(before)
  })

  test('does not begin a removal when the provider has become active meanwhile', async () => {
    const scene = await abandoned(2)
    const reactivated: Mistake = store => ({
      ...store,
      removing: async signal =>
        (await store.removing(signal)).map(provider => ({ ...provider, state: 'active' as const })),
    })
    await scene.run(reactivated)
    expect(await stateOf(scene)).toBe('removing')
  })

  test('counts a removal that the table is too busy for as unfinished, and says why', async () => {
    const scene = await abandoned(2, 3, 60_000)
    const logged = await scene.run(tableIsBusy)
    expect(logged).toContainEqual({ event: 'table_busy', reason: 'throttled' })
    expect(logged.at(-1)).toMatchObject({ event: 'removals_checked', unfinished: 1, oldest_age_seconds: 60 })
    await scene.run()
    expect(await stateOf(scene)).toBe('removed')
  })

  test('reports before it fails by a bug', async () => {
    const scene = await abandoned(2)
    let reported: unknown
    const watched: Mistake = (store, table) => unlinkingFails(store, table)
    await scene.run(watched).catch(error => {
      reported = error
    })
    expect(reported).toBeInstanceOf(TypeError)
    await scene.run()
    expect(await stateOf(scene)).toBe('removed')
  })

  test('reports when its time is over', async () => {
    const scene = await abandoned(2)
    const over = new AbortController()
    const slow: Mistake = store => ({
      ...store,
      members: (id, signal) => {
        over.abort(new Failure('wait_expired'))
        return store.members(id, signal)
      },
    })
    const logged = await scene.run(slow, over.signal)
    expect(logged.at(-1)).toMatchObject({ event: 'removals_checked', unfinished: 1 })
  })
})

describe('a removal that crashes at any call keeps every promise', () => {
  /** removing, members, finish; per 25 a batch of unlinkings and a mark. */
  const leastCalls = (count: number) => 3 + 2 * Math.ceil(count / 25)

  test.each([0, 3, 26])(
    'when a run of the scheduled function comes before the DELETE, of %i users',
    async count => {
      const { crashes, broken } = await sweep(makeScene, count, {
        between: async scene => {
          scene.clock.advance(requestMaxMs + 1)
          await scene.run()
          expect(await stateOf(scene)).not.toBe('removing')
        },
      })
      expect(broken).toEqual([])
      expect(crashes).toBeGreaterThanOrEqual(2 * leastCalls(count))
    },
  )

  test.each([0, 3, 26])('when it is the run that crashes, of %i users', async count => {
    const { crashes, broken } = await sweep(count => abandoned(count), count, { first: scene => scene.run() })
    expect(broken).toEqual([])
    expect(crashes).toBeGreaterThanOrEqual(2 * leastCalls(count))
  })
})
