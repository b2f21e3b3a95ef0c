import fc, { type Scheduler } from 'fast-check'
import { expect, test } from 'vitest'
import type { User } from '../../lib/domain/resources.ts'
import { userItem } from '../../lib/store/items.ts'
import { sampleUser } from '../support/samples.ts'
import { Crash, outside, type Plan, under } from './faults.ts'
import { linkedIds, type Scene, stage } from './scene.ts'
import { writers } from './writers.ts'

const makeScene = stage()

/** Two clients, each sending its DELETE so often, dying at the given call each time but the last. */
const client = fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 2 })
const others = fc.uniqueArray(fc.constantFrom('link', 'move', 'forget'), { minLength: 0, maxLength: 3 })

/** Sixty orders a test, so that none takes long on a busy machine. */
const rounds = process.env.TEST_FULL ? [1, 2, 3, 4, 5] : [1]

test.each(rounds)(
  'clients and other writers, in any order, call by call, keep every promise (%i)',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), client, client, others, async (scheduler, one, other, writing) => {
        const scene = await makeScene(4)
        const newcomer = sampleUser(scene.provider.id + 99)
        await scene.put([userItem(newcomer)])
        scene.users.push(newcomer)
        const story = watch(scene)
        const { link, move, forget } = writers(scene)
        const deeds: Record<string, () => Promise<unknown>> = {
          link: () => link(newcomer),
          move: async () => story.moved(await move(scene.users[0] as User)),
          forget: async () => {
            await forget(scene.users[1] as User)
            story.forgotten(scene.users[1] as User)
          },
        }
        const alone = oneAtATime(scheduler, story.look)

        await scheduler.waitFor(
          Promise.all([
            ...[one, other].map(crashes => send(scene, crashes, alone, story.told)),
            ...writing.map(deed => under(call => alone(call.send), deeds[deed] as () => Promise<unknown>)),
          ]),
        )
        expect(await story.broken()).toEqual([])
      }),
      { numRuns: 60 },
    )
  },
)

/** Runs acts in the order in which the scheduler lets them go, each while nothing else runs, and has a look after each. */
function oneAtATime(scheduler: Scheduler, look: () => Promise<void>) {
  let before: Promise<unknown> = Promise.resolve()
  return async <T>(act: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve())
    const acting = before.then(act)
    before = acting.catch(() => {}).then(() => outside(look))
    await before
    return acting
  }
}

/** The DELETE again and again, until it is answered. */
async function send(
  scene: Scene,
  crashes: number[],
  alone: <T>(act: () => Promise<T>) => Promise<T>,
  told: (ids: string[]) => void,
) {
  for (const crash of [...crashes, Number.POSITIVE_INFINITY]) {
    const plan: Plan = call => {
      if (call.n >= crash) throw new Crash()
      return alone(() => call.send())
    }
    try {
      const { result } = await under(plan, () => scene.attempt())
      expect(result).not.toBe('provider_not_found')
      told(result as string[])
      return
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
  }
}

/** Remembers what the promises are about: who was linked when the removal began, who went where, what was told. */
function watch(scene: Scene) {
  let atStart: string[] | undefined
  let movedTo: User | undefined
  const erased = new Set<string>()
  const answers: string[][] = []
  const without = (ids: string[]) => ids.filter(id => !erased.has(id))

  return {
    moved: (user: User | undefined) => {
      movedTo = user ?? movedTo
    },
    forgotten: ({ id }: User) => void erased.add(id),
    told: (ids: string[]) => void answers.push(ids),
    /** After each step nothing else runs, so that the table can be looked at; once the removal has begun, there is no need. */
    async look() {
      if (atStart !== undefined) return
      const { provider, users } = await scene.state()
      if (provider?.state !== 'active') atStart = linkedIds(scene.provider, users)
    },
    async broken(): Promise<string[]> {
      const { provider, users } = await scene.state()
      const broken: string[] = []
      const expected = without(atStart ?? ['nothing was removed'])
      for (const answer of answers)
        if (JSON.stringify(without(answer)) !== JSON.stringify(expected))
          broken.push(`${answer.length} users are listed, ${expected.length} were linked`)
      if (answers.length !== 2) broken.push('a client was never told the list')
      if (linkedIds(scene.provider, users).length > 0) broken.push('a user is still linked')
      if (provider?.state !== 'removed') broken.push('the removal never ended')
      const moved = users.find(({ id }) => id === movedTo?.id)
      if (moved !== undefined && JSON.stringify(moved) !== JSON.stringify(movedTo))
        broken.push('a user who had moved elsewhere was touched')
      return broken
    },
  }
}
