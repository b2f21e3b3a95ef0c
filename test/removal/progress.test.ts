import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { brokenBy } from './promises.ts'
import { type Scene, stage } from './scene.ts'

const makeScene = stage()
const users = process.env.TEST_FULL ? 5000 : 300
/** Of the scene's clock; long enough to list the members and unlink some, too short for all. */
const budgetMs = process.env.TEST_FULL ? 60_000 : 10_000

test(`DELETEs with a budget that is too small end the removal of ${users} users all the same`, {
  timeout: 300_000,
}, async () => {
  const scene = await makeScene(users)
  const progress: number[] = []
  while ((await scene.find())?.state !== 'removed') {
    const told = await within(scene, budgetMs)
    if (!(told instanceof Failure)) continue
    expect(told.code).toBe('removal_unfinished')
    progress.push(told.facts.unlinked ?? 0)
  }
  expect(progress.length).toBeGreaterThan(0)
  // One that ended before it had read the marks knows of none.
  const known = progress.filter(unlinked => unlinked > 0)
  expect(known).toEqual(known.toSorted((a, b) => a - b))
  // The list itself takes the time that it takes to read it.
  expect(brokenBy(await scene.attempt(), await scene.state(), scene)).toEqual([])
})

async function within(scene: Scene, ms: number) {
  const expiry = new AbortController()
  const cancel = scene.clock.schedule(scene.clock.nowMs() + ms, () =>
    expiry.abort(new Failure('wait_expired')),
  )
  try {
    return await scene.attempt(undefined, expiry.signal)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  } finally {
    cancel()
  }
}
