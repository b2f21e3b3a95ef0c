import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { type Logged, type Scenario, abandonedIn, idsOf, requestMaxMs, scenarioFactory } from './scenario.ts'
import { type Plan, withPlan } from '../support/test-client.ts'

const makeScenario = scenarioFactory()

const abandoned = abandonedIn(makeScenario)
const stateOf = async (scenario: Scenario) => (await scenario.state()).provider?.state
/** Lets the calls of an operation fail. */
const failing =
  (failed: string, error: Error): Plan =>
  ({ operation, send }) =>
    operation === failed ? Promise.reject(error) : send()
const busy = () => new Failure('table_busy', {}, new Error('throttled'))
const allFinished = { event: 'removals_checked', unfinished: 0, oldest_age_seconds: 0 }

test('the scheduled function finishes an abandoned removal', async () => {
  const scenario = await abandoned(30)
  expect(await stateOf(scenario)).toBe('removing')
  const logged = await scenario.run()
  const { item, linked } = await scenario.state()
  expect([item.state, item.removed_by, linked]).toEqual(['removed', 'test', []])
  expect(logged).toContainEqual(expect.objectContaining({ event: 'removal_finished', unlinked: 30 }))
  expect(logged.at(-1)).toEqual(allFinished)
  expect(scenario.clock.scheduled()).toBe(0)
  expect(await scenario.attempt()).toEqual(idsOf(scenario.users))
})

test.each([
  [requestMaxMs, 'removing', 1, requestMaxMs / 1000],
  [requestMaxMs + 1, 'removed', 0, 0],
])(
  'a removal that was abandoned %i ms ago is %s after a scheduled run',
  async (agoMs, state, unfinished, seconds) => {
    const scenario = await abandoned(2, agoMs)
    const logged = await scenario.run()
    expect(await stateOf(scenario)).toBe(state)
    expect(logged.at(-1)).toEqual({ event: 'removals_checked', unfinished, oldest_age_seconds: seconds })
  },
)

test('the scheduled function logs how many members are counted, also when it finds fewer', async () => {
  const begun = { removal_started_at: '2026-01-01T00:00:00.000Z', retained_until: 1_900_000_000 }
  const provider = { state: 'removing', removal_id: 'r', member_count: 3, ...begun }
  const logged = await (await makeScenario(2, { provider })).run()
  expect(logged).toContainEqual(
    expect.objectContaining({ event: 'users_unlinked', affected_total: 3, unlinked: 2 }),
  )
})

test('the scheduled function leaves a provider that is not being removed as it is', async () => {
  const scenario = await makeScenario(2)
  expect(await scenario.run()).toEqual([allFinished])
  expect(await stateOf(scenario)).toBe('active')
  await scenario.attempt()
  const before = await scenario.items()
  await scenario.run()
  expect(await scenario.items()).toEqual(before)
})

test('the scheduled function counts a throttled removal as unfinished', async () => {
  const scenario = await abandoned(2, 60_000)
  const logged = await withPlan(failing('TransactWriteItems', busy()), () => scenario.run())
  const ids = { provider_id: scenario.provider.id, removal_id: expect.any(String) }
  expect(logged.at(-2)).toEqual({ event: 'table_busy', ...ids, reason: 'throttled' })
  expect(logged).not.toContainEqual(expect.objectContaining({ event: 'unexpected_error' }))
  expect(logged.at(-1)).toMatchObject({ unfinished: 1, oldest_age_seconds: 60 })
})

test('a scheduled run that cannot read the providers reports no number', async () => {
  const scenario = await abandoned(2)
  expect(await withPlan(failing('Query', busy()), () => scenario.run())).toEqual([
    { event: 'table_busy', reason: 'throttled' },
  ])
})

test('a scheduled run that cannot read the providers because of a bug fails', async () => {
  const scenario = await abandoned(2)
  const run = withPlan(failing('Query', new TypeError('a bug')), () => scenario.run())
  await expect(run).rejects.toThrow('a bug')
})

test('a scheduled run fails with an unexpected error of a removal', async () => {
  const scenario = await abandoned(2)
  const logged: Logged[] = []
  const bug = failing('TransactWriteItems', new TypeError('a bug'))
  await expect(withPlan(bug, () => scenario.run({ logged }))).rejects.toBeInstanceOf(TypeError)
  const ids = { provider_id: scenario.provider.id, removal_id: expect.any(String) }
  expect(logged).toContainEqual(
    expect.objectContaining({ event: 'unexpected_error', ...ids, message: 'a bug' }),
  )
  await scenario.run()
  expect(await stateOf(scenario)).toBe('removed')
})

test('the scheduled function logs the unfinished removals when its time is over', async () => {
  const scenario = await abandoned(2)
  const over = new AbortController()
  const expire: Plan = ({ operation, send }) => {
    if (operation === 'TransactWriteItems') over.abort(new Failure('wait_expired'))
    return send()
  }
  const logged = await withPlan(expire, () => scenario.run({ signal: over.signal }))
  expect(logged.at(-1)).toMatchObject({ event: 'removals_checked', unfinished: 1 })
  expect(logged).not.toContainEqual(expect.objectContaining({ event: 'table_busy' }))
})
