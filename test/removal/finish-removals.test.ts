import { describe, expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { crashAt, withPlan } from './faults.ts'
import {
  linkedIds,
  type Logged,
  type Mistake,
  requestMaxMs,
  runMs,
  type Scenario,
  scenarioFactory,
} from './scenario.ts'
import { sweep } from './sweep.ts'

const makeScenario = scenarioFactory()

/** A removal of `count` users that was abandoned after `calls` calls, `agoMs` before now. */
async function abandoned(count: number, calls = 3, agoMs = requestMaxMs + 1) {
  const scenario = await makeScenario(count)
  await withPlan(crashAt(calls, 'before').plan, () => scenario.attempt()).catch(() => {})
  scenario.clock.advance(agoMs)
  return scenario
}

const stateOf = async (scenario: Scenario) => (await scenario.state()).provider?.state
const unlinkingFails: Mistake = store => ({
  ...store,
  unlinker: () => () => Promise.reject(new TypeError('a bug')),
})
const tableIsBusy: Mistake = store => ({
  ...store,
  unlinker: () => () => Promise.reject(new Failure('table_busy', {}, new Error('throttled'))),
})

describe('the scheduled function', () => {
  test('finishes an abandoned removal, and keeps removed_by', async () => {
    const scenario = await abandoned(30)
    expect(await stateOf(scenario)).toBe('removing')
    const logged = await scenario.run()
    const { provider, users } = await scenario.state()
    expect(provider?.state).toBe('removed')
    expect(linkedIds(scenario.provider, users)).toEqual([])
    expect(logged).toContainEqual(expect.objectContaining({ event: 'removal_finished', unlinked: 30 }))
    expect(logged.at(-1)).toEqual({ event: 'removals_checked', unfinished: 0, oldest_age_seconds: 0 })
    expect(await scenario.attempt()).toEqual(scenario.users.map(user => user.id))
    expect((await scenario.read(providerKey(scenario.provider.id)))?.removed_by).toBe('test')
  })

  test.each([
    [requestMaxMs, 'removing', 1, requestMaxMs / 1000],
    [requestMaxMs + 1, 'removed', 0, 0],
  ])('after %i ms leaves a removal as %s', async (agoMs, state, unfinished, seconds) => {
    const scenario = await abandoned(2, 3, agoMs)
    const logged = await scenario.run()
    expect(await stateOf(scenario)).toBe(state)
    expect(logged.at(-1)).toEqual({ event: 'removals_checked', unfinished, oldest_age_seconds: seconds })
  })

  test('neither begins nor repeats a removal', async () => {
    const active = await makeScenario(2)
    expect(await active.run()).toEqual([{ event: 'removals_checked', unfinished: 0, oldest_age_seconds: 0 }])
    expect(await stateOf(active)).toBe('active')
    const removed = await makeScenario(2)
    await removed.attempt()
    const before = await removed.state()
    await removed.run()
    expect(await removed.state()).toEqual(before)
  })

  test('does not begin a removal when the provider became active meanwhile', async () => {
    const scenario = await abandoned(2)
    const reactivated: Mistake = store => ({
      ...store,
      removing: async signal =>
        (await store.removing(signal)).map(provider => ({ ...provider, state: 'active' as const })),
    })
    await scenario.run(reactivated)
    expect(await stateOf(scenario)).toBe('removing')
  })

  test('counts a throttled removal as unfinished, and logs the reason', async () => {
    const scenario = await abandoned(2, 3, 60_000)
    const logged = await scenario.run(tableIsBusy)
    const ids = { provider_id: scenario.provider.id, removal_id: expect.any(String) }
    expect(logged.at(-2)).toEqual({ event: 'table_busy', ...ids, reason: 'throttled' })
    expect(logged.at(-1)).toMatchObject({ unfinished: 1, oldest_age_seconds: (60_000 + runMs) / 1000 })
    await scenario.run()
    expect(await stateOf(scenario)).toBe('removed')
  })

  test('that cannot read the providers logs the reason, and reports no number', async () => {
    const scenario = await abandoned(2)
    const busy = new Failure('table_busy', {}, new Error('throttled'))
    const logged = await scenario.run(store => ({ ...store, removing: () => Promise.reject(busy) }))
    expect(logged).toEqual([{ event: 'table_busy', reason: 'throttled' }])
  })

  test('that cannot read the providers at first tries again', async () => {
    const scenario = await abandoned(2)
    let reads = 0
    const busyOnce: Mistake = store => ({
      ...store,
      removing: signal =>
        ++reads === 1 ? Promise.reject(new Failure('table_busy')) : store.removing(signal),
    })
    await scenario.run(busyOnce)
    expect(await stateOf(scenario)).toBe('removed')
  })

  test('fails with an unexpected error, and finishes the removal in the next run', async () => {
    const scenario = await abandoned(2)
    const logged: Logged[] = []
    await expect(scenario.run(unlinkingFails, undefined, logged)).rejects.toBeInstanceOf(TypeError)
    expect(logged).toContainEqual(
      expect.objectContaining({
        event: 'unexpected_error',
        provider_id: scenario.provider.id,
        removal_id: expect.any(String),
        message: 'a bug',
      }),
    )
    await scenario.run()
    expect(await stateOf(scenario)).toBe('removed')
  })

  test('logs the unfinished removals when its time is over', async () => {
    const scenario = await abandoned(2)
    const over = new AbortController()
    const slow: Mistake = store => ({
      ...store,
      members: (id, signal) => {
        over.abort(new Failure('wait_expired'))
        return store.members(id, signal)
      },
    })
    const logged = await scenario.run(slow, over.signal)
    expect(logged.at(-1)).toMatchObject({ event: 'removals_checked', unfinished: 1 })
  })
})

describe('a removal that crashes at any call keeps every promise', () => {
  /** removing, members, finish; per 25 users an unlink and a mark. */
  const minimumCalls = (count: number) => 3 + 2 * Math.ceil(count / 25)

  test.each([0, 3, 26])(
    'when the scheduled function runs before the DELETE is repeated, with %i users',
    async count => {
      const { crashes, broken } = await sweep(makeScenario, count, {
        between: async scenario => {
          scenario.clock.advance(requestMaxMs + 1)
          await scenario.run()
          expect(await stateOf(scenario)).not.toBe('removing')
        },
      })
      expect(broken).toEqual([])
      expect(crashes).toBeGreaterThanOrEqual(2 * minimumCalls(count))
    },
  )

  test.each([0, 3, 26])('when the scheduled function crashes, with %i users', async count => {
    const { crashes, broken } = await sweep(count => abandoned(count), count, {
      first: scenario => scenario.run(),
    })
    expect(broken).toEqual([])
    expect(crashes).toBeGreaterThanOrEqual(2 * minimumCalls(count))
  })
})
