import { describe, expect, test } from 'vitest'
import { membershipItem, type Item } from '../../lib/store/items.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { faultRun } from './fault-run.ts'
import { type Scenario, scenarioFactory } from './scenario.ts'
import { sweep } from './sweep.ts'

const makeScenario = scenarioFactory()

/** A scenario with malformed attributes of the provider and of the first membership. */
const malformed = (provider: Item, expiry: unknown) => async (count: number) => {
  const scenario: Scenario = await makeScenario(count)
  const { id } = scenario.provider
  const memberships = scenario.users
    .slice(0, 1)
    .map(user => ({ ...membershipItem(id, user.id), expires_at: expiry }))
  await scenario.put([...memberships, { ...(await scenario.read(providerKey(id))), ...provider }])
  return scenario
}
const old = '2026-01-01T00:00:00.000Z'
const oldRemoval = { removal_id: 'old', removal_started_at: old, removed_by: 'old', retained_until: 5 }

const scenarios = {
  'an active provider with the attributes of an older removal': malformed(
    { ...oldRemoval, removed_at: old, expires_at: 5 },
    5,
  ),
  'an unfinished removal with a malformed retained_until': malformed(
    { ...oldRemoval, state: 'removing', retained_until: 'soon' },
    'soon',
  ),
  'an unfinished removal with only malformed attributes': malformed({ state: 'removing', removal_id: 5 }, 5),
}

describe.each(Object.entries(scenarios))('from %s, a removal', (_, scenario) => {
  test('that crashes at any call and is repeated keeps every promise', async () => {
    const { crashes, broken } = await sweep(scenario, 2)
    expect(broken).toEqual([])
    // find, members, two unlinks, mark, finish, users; before and after each
    expect(crashes).toBeGreaterThanOrEqual(14)
  })

  test.each(
    process.env.TEST_FULL
      ? ['is sent twice', 'loses its reply', 'stalls and is done late']
      : ['stalls and is done late'],
  )('in which one call %s keeps every promise, at any call', async kind => {
    const { calls } = await faultRun(await scenario(2), {}, false)
    for (let n = 1; n <= calls; n++) {
      const run = await faultRun(await scenario(2), { [n]: kind }, true)
      expect(run.broken, `at call ${n}`).toEqual([])
    }
  })
})
