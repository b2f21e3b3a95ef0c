import { Crash, crashAt, under } from './faults.ts'
import { brokenAt, brokenBy } from './promises.ts'
import type { Mistake, Scene } from './scene.ts'
import { writers } from './writers.ts'

interface Outcome {
  /** Crashes that were tried: every call, before and after, and amid every batch. */
  crashes: number
  /** Broken promises, each with the crash that broke it; the sweep ends there. */
  broken: string[]
}

interface Sweep {
  mistake?: Mistake
  /** What is crashed at each call; a DELETE, unless it is something else. */
  first?: (scene: Scene) => Promise<unknown>
  /** What happens before the DELETE is sent again. */
  between?: (scene: Scene) => Promise<unknown>
}

/**
 * Crashes the removal of a provider at every single call, and amid every batch; looks at the table; has a user move elsewhere; sends the
 * DELETE again, and once more; and says which promises were broken on the way.
 */
export async function sweep(
  makeScene: (count: number) => Promise<Scene>,
  count: number,
  { mistake, first = scene => scene.attempt(mistake), between = async () => {} }: Sweep = {},
): Promise<Outcome> {
  const outcome: Outcome = { crashes: 0, broken: [] }
  for (const moment of ['before', 'amid', 'after'] as const) {
    for (let call = 1; ; call++) {
      const scene = await makeScene(count)
      const { plan, happened } = crashAt(call, moment)
      const answered = await under(plan, () => first(scene)).catch(onlyCrash)
      if (!happened()) break
      outcome.crashes += 1
      const broken = [
        ...(answered === undefined ? [] : ['an answer left a process that had crashed']),
        ...(await afterCrash(scene, between, mistake)),
      ]
      outcome.broken.push(...broken.map(what => `crashed ${moment} call ${call} of ${count} users: ${what}`))
      if (broken.length > 0) return outcome
    }
  }
  return outcome
}

async function afterCrash(
  scene: Scene,
  between: (scene: Scene) => Promise<unknown>,
  mistake?: Mistake,
): Promise<string[]> {
  const crashed = await scene.state()
  const broken = brokenAt(crashed, scene)
  const [user] = crashed.provider?.state === 'active' ? [] : scene.users
  const moved = user && (await writers(scene).move(user))
  await between(scene)
  const again = await scene.attempt(mistake)
  const then = await scene.state()
  broken.push(...brokenBy(again, then, scene))
  if (moved !== undefined && JSON.stringify(then.users[0]) !== JSON.stringify(moved))
    broken.push('a user who had moved elsewhere was touched')
  if (JSON.stringify(await scene.attempt(mistake)) !== JSON.stringify(again))
    broken.push('the DELETE after that answers something else')
  return broken
}

function onlyCrash(error: unknown): undefined {
  if (!(error instanceof Crash)) throw error
}
