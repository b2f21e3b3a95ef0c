import { Failure } from '../../lib/domain/failure.ts'
import { type Faults, faultAt, faults } from './fault-kinds.ts'
import { under } from './faults.ts'
import { brokenAt, brokenBy } from './promises.ts'
import type { Scene, Told } from './scene.ts'

/** What an interrupted DELETE may say. */
const interruptions = ['wait_expired', 'removal_unfinished', 'table_busy']
/** Longer than all pauses of a removal that meets two faults. */
const budgetMs = 10_000

/**
 * A DELETE that meets the faults, by the number of the call; the same DELETE undisturbed; what was held back lands in
 * between or at the very end; one more DELETE.
 *
 * @returns how many calls the first took, and every broken promise
 */
export async function faultRun(scene: Scene, at: Record<number, string>, landsLast: boolean) {
  const expiry = new AbortController()
  const cancel = scene.clock.schedule(scene.clock.nowMs() + budgetMs, () =>
    expiry.abort(new Failure('wait_expired')),
  )
  const injected = faults(expiry.signal, scene.clock)
  const first = await under(faultAt(injected, at), () => tell(scene, expiry.signal))
  cancel()
  expiry.abort(new Failure('wait_expired'))

  const broken: string[] = []
  if (Array.isArray(first.result)) broken.push(...brokenBy(first.result, await scene.state(), scene))
  else if (!interruptions.includes(first.result)) broken.push(`the client is told ${first.result}`)
  return { calls: first.calls, broken: [...broken, ...(await sentAgain(scene, injected, landsLast))] }
}

async function sentAgain(scene: Scene, { late }: Faults, landsLast: boolean): Promise<string[]> {
  const broken = brokenAt(await scene.state(), scene)
  if (!landsLast) await late()
  const again = await tell(scene)
  broken.push(...brokenBy(again, await scene.state(), scene))
  await late()
  broken.push(...brokenAt(await scene.state(), scene))
  if (JSON.stringify(await tell(scene)) !== JSON.stringify(again))
    broken.push('the last DELETE answers something else')
  return broken
}

async function tell(scene: Scene, signal?: AbortSignal): Promise<Told | string> {
  try {
    return await scene.attempt(undefined, signal)
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}
