import fc, { type Scheduler } from 'fast-check'
import { expect, test } from 'vitest'
import type { User } from '../../lib/domain/resources.ts'
import { userItem } from '../../lib/store/items.ts'
import { sampleUser } from '../support/samples.ts'
import { Crash, withoutPlan, type Plan, withPlan } from './faults.ts'
import { linkedIds, type Scenario, scenarioFactory } from './scenario.ts'
import { writers } from './writers.ts'

const makeScenario = scenarioFactory()

/** A client: the calls at which its attempts crash; its last attempt does not crash. */
const client = fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 2 })
const others = fc.uniqueArray(fc.constantFrom('link', 'move', 'erase'), { minLength: 0, maxLength: 3 })

/** 60 orders per test, so that no test takes long on a busy machine. */
const rounds = process.env.TEST_FULL ? [1, 2, 3, 4, 5] : [1]

test.each(rounds)(
  'clients and other writers keep every promise, in any order of their calls (%i)',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), client, client, others, async (scheduler, one, other, writing) => {
        const scenario = await makeScenario(4)
        const newcomer = sampleUser(scenario.provider.id + 99)
        await scenario.put([userItem(newcomer)])
        scenario.users.push(newcomer)
        const history = watch(scenario)
        const { link, move, erase } = writers(scenario)
        const writes: Record<string, () => Promise<unknown>> = {
          link: () => link(newcomer),
          move: async () => history.moved(await move(scenario.users[0] as User)),
          erase: async () => {
            await erase(scenario.users[1] as User)
            history.erased(scenario.users[1] as User)
          },
        }
        const exclusively = oneAtATime(scheduler, history.observe)

        await scheduler.waitFor(
          Promise.all([
            ...[one, other].map(crashes => send(scenario, crashes, exclusively, history.answered)),
            ...writing.map(name =>
              withPlan(call => exclusively(call.send), writes[name] as () => Promise<unknown>),
            ),
          ]),
        )
        expect(await history.broken()).toEqual([])
      }),
      { numRuns: 60 },
    )
  },
)

/** Runs actions one at a time in the order of the scheduler, and observes the table after each. */
function oneAtATime(scheduler: Scheduler, observe: () => Promise<void>) {
  let before: Promise<unknown> = Promise.resolve()
  return async <T>(action: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve())
    const running = before.then(action)
    before = running.catch(() => {}).then(() => withoutPlan(observe))
    await before
    return running
  }
}

/** Repeats the DELETE until it is answered. */
async function send(
  scenario: Scenario,
  crashes: number[],
  exclusively: <T>(action: () => Promise<T>) => Promise<T>,
  answered: (ids: string[]) => void,
) {
  for (const crash of [...crashes, Number.POSITIVE_INFINITY]) {
    const plan: Plan = call => {
      if (call.n >= crash) throw new Crash()
      return exclusively(() => call.send())
    }
    try {
      const { result } = await withPlan(plan, () => scenario.attempt())
      expect(result).not.toBe('provider_not_found')
      answered(result as string[])
      return
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
  }
}

/** Records what the promises depend on: who was linked when the removal began, moved and erased users, and answers. */
function watch(scenario: Scenario) {
  let atStart: string[] | undefined
  let movedTo: User | undefined
  const erased = new Set<string>()
  const answers: string[][] = []
  const without = (ids: string[]) => ids.filter(id => !erased.has(id))

  return {
    moved: (user: User | undefined) => {
      movedTo = user ?? movedTo
    },
    erased: ({ id }: User) => void erased.add(id),
    answered: (ids: string[]) => void answers.push(ids),
    /** Records the linked users when the removal begins. Nothing else runs meanwhile. */
    async observe() {
      if (atStart !== undefined) return
      const { provider, users } = await scenario.state()
      if (provider?.state !== 'active') atStart = linkedIds(scenario.provider, users)
    },
    async broken(): Promise<string[]> {
      const { provider, users } = await scenario.state()
      const broken: string[] = []
      const expected = without(atStart ?? ['the removal never began'])
      for (const answer of answers)
        if (JSON.stringify(without(answer)) !== JSON.stringify(expected))
          broken.push(`${answer.length} users are listed, ${expected.length} were linked`)
      if (answers.length !== 2) broken.push('a client never received the list')
      if (linkedIds(scenario.provider, users).length > 0) broken.push('a user is still linked')
      if (provider?.state !== 'removed') broken.push('the removal never ended')
      const moved = users.find(({ id }) => id === movedTo?.id)
      if (moved !== undefined && JSON.stringify(moved) !== JSON.stringify(movedTo))
        broken.push('a user who had moved elsewhere was changed')
      return broken
    },
  }
}
