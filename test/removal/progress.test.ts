import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { brokenBy } from './promises.ts'
import { type Scene, stage } from './scene.ts'

const makeScene = stage(10)
const users = process.env.TEST_FULL ? 5000 : 1000

test(`DELETEs with a budget that is too small end the removal of ${users} users, each going on where the last one stopped`, async () => {
  const budgetMs = 0.5 * (await timeOfRemoval())
  const scene = await makeScene(users)
  const unlinked = [0]
  for (;;) {
    const failure = await within(scene, budgetMs)
    if (failure === undefined) break
    expect(failure.code).toBe('removal_unfinished')
    expect(failure.facts.unlinked).toBeGreaterThan(unlinked.at(-1) ?? 0)
    unlinked.push(failure.facts.unlinked ?? 0)
  }
  expect(unlinked.length, 'DELETEs').toBeGreaterThan(2)
  expect(brokenBy(await scene.attempt(), await scene.state(), scene)).toEqual([])
})

async function timeOfRemoval(): Promise<number> {
  const scene = await makeScene(users)
  const startMs = scene.clock.nowMs()
  await scene.attempt()
  return scene.clock.nowMs() - startMs
}

/** @returns undefined when the budget was enough */
async function within(scene: Scene, ms: number): Promise<Failure | undefined> {
  const expiry = new AbortController()
  const cancel = scene.clock.schedule(scene.clock.nowMs() + ms, () =>
    expiry.abort(new Failure('wait_expired')),
  )
  try {
    await scene.attempt(undefined, expiry.signal)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  } finally {
    cancel()
  }
}
