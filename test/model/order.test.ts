import { expect, test } from 'vitest'
import type { RemovalStore } from '../../lib/removal/ports.ts'
import { membershipItem } from '../../lib/store/items.ts'
import { scenarioFactory } from '../removal/scenario.ts'
import { correctOrder } from './stages.ts'

const makeScenario = scenarioFactory()

const stages = {
  begin: 'beginning',
  members: 'listing',
  markUnlinked: 'unlinking',
  finish: 'finishing',
  users: 'reporting',
}

test('a removal works in the order of the model, and one that is repeated, too', async () => {
  const scenario = await makeScenario(60)
  const record = async () => {
    const seen = new Set<string>()
    const recording = (store: RemovalStore) =>
      new Proxy(store, {
        get(target, name: keyof RemovalStore) {
          // `unlinker` makes the function that unlinks, and calls nothing: marking shows the stage.
          if (name in stages) seen.add(stages[name as keyof typeof stages])
          return target[name]
        },
      })
    await scenario.attempt(recording)
    return [...seen]
  }
  expect(await record()).toEqual(correctOrder)
  const { item } = await scenario.state()
  expect(await record()).toEqual(['listing', 'reporting'])
  const { removed_at, expires_at, affected_total, ...unfinished } = item
  const [user] = scenario.users
  await scenario.put([
    { ...unfinished, state: 'removing' },
    membershipItem(scenario.provider.id, String(user?.id)),
  ])
  expect(await record()).toEqual(correctOrder.filter(stage => stage !== 'beginning'))
})
