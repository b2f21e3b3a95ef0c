import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { ageMs } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../lib/store/items.ts'
import { boundaryValues, sampleProvider, sampleUser } from '../support/samples.ts'
import { explore } from './explorer.ts'
import { idsOf, type Scenario, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
const weekSeconds = 7 * 86_400
const weekFrom = ({ clock }: Scenario) => Math.ceil(clock.nowMs() / 1000) + weekSeconds
const forEver = 253_402_300_799

const unfinished = {
  state: 'removing',
  removal_id: 'r',
  removal_started_at: '2026-01-30T00:00:00.000Z',
  removed_by: 'first',
  retained_until: 1_900_000_000,
}

/** An unfinished removal of which the first user is unlinked and marked. */
async function halfWay(provider: Item) {
  const scenario = await makeScenario(2, { provider: { ...unfinished, ...provider } })
  const { id } = sampleUser(0)
  const membership = membershipItem(scenario.provider.id, id)
  const marked = { ...membership, expires_at: unfinished.retained_until }
  await scenario.put([userItem(sampleUser(0)), marked])
  return scenario
}

/** Expects that a DELETE keeps every promise. @returns the provider's item after it */
async function removes(scenario: Scenario, name = ''): Promise<Item> {
  const { broken } = await explore(scenario, { processes: [[{}]] })
  expect(broken, name).toEqual([])
  return (await scenario.state()).item
}

/** Runs the action for each value, in daily tests for a third of them. */
async function withEach(
  values: typeof boundaryValues,
  action: (value: unknown, name: string) => Promise<unknown>,
) {
  const isTested = (index: number) => process.env.TEST_FULL || (values.length - 1 - index) % 3 === 0
  for (const [index, [name, value]] of values.entries()) if (isTested(index)) await action(value, name)
}

const absent: (typeof boundaryValues)[0] = ['absent', undefined]

const expiries: typeof boundaryValues = [
  ...boundaryValues,
  ['a past time', 1_700_000_000],
  ['a future time', 4_000_000_000],
]

test.each<[string, Item]>([
  ['begins', {}],
  ['continues', unfinished],
])('a removal that %s unlinks the user of a membership without its mark', (_, provider) =>
  withEach(expiries, async (expires_at, name) => {
    const removed = await removes(await makeScenario(2, { provider, membership: { expires_at } }), name)
    expect(removed).toMatchObject({ ...provider, state: 'removed' })
  }),
)

test('an unfinished removal with a malformed retained_until is kept for ever', () =>
  withEach([...boundaryValues, absent], async (retained_until, name) => {
    const scenario = await halfWay({ retained_until })
    const ended = { ...unfinished, state: 'removed', retained_until: forEver, expires_at: forEver }
    expect(await removes(scenario, name), name).toMatchObject(ended)
  }))

const otherTypes = boundaryValues.filter(([, value]) => typeof value !== 'string')
test.each([
  ['removal_id', otherTypes],
  ['removal_started_at', boundaryValues],
])('an unfinished removal with a malformed %s keeps it and its marks', (attribute, values) =>
  withEach([...values, absent], async (value, name) => {
    const scenario = await halfWay({ [attribute]: value })
    const { [attribute]: before } = (await scenario.state()).item
    const { [attribute]: after, state } = await removes(scenario, name)
    expect([after, state], name).toEqual([before, 'removed'])
    const events = scenario.logged.map(({ event, unlinked: n }) => `${event} ${n ?? ''}`.trim())
    expect(events.slice(0, 2)).toEqual(['removal_resumed', 'users_unlinked 2'])
  }),
)

const nowMs = Date.UTC(2026, 0, 31)
test.each([
  [300_000, -300_000],
  [300_001, nowMs],
])('the age of a removal that seems to begin in %i ms is %i ms', (aheadMs, expected) => {
  expect(ageMs({ id: 'r', startedAtMs: nowMs + aheadMs, retainedUntil: 5 }, nowMs)).toBe(expected)
})

test('an unfinished removal whose retention is over is finished without a list', async () => {
  const scenario = await halfWay({ retained_until: 1 })
  const startMs = scenario.clock.nowMs()
  expect(await scenario.attempt()).toBe('provider_not_found')
  const { item, linked } = await scenario.state()
  expect([item.state, item.expires_at, linked]).toEqual(['removed', 1, []])
  expect(scenario.clock.nowMs()).toBe(startMs)
})

/** The record of a provider with this attribute. */
const recordWith = (attribute: Item) =>
  providerRecordOf({ ...providerItem(sampleProvider(7), 2), ...attribute }) ?? expect.unreachable()

const notCounts = [...boundaryValues, absent].filter(([, value]) => value !== 0)
test.each(notCounts)('a malformed member_count is unknown: %s', (_, member_count) => {
  expect(recordWith({ member_count }).memberCount).toBeUndefined()
})

const notTimes = [...boundaryValues, absent]
test.each(notTimes)(
  'a removal with a malformed removal_started_at began in 1970: %s',
  (_, removal_started_at) => {
    expect(recordWith({ removal_started_at }).removal.startedAtMs).toBe(0)
  },
)

test('a removed provider with a malformed removal is answered until TTL deletes it', () =>
  withEach(boundaryValues, async (value, name) => {
    const scenario = await makeScenario(2)
    const removed = { ...(await removes(scenario)), retained_until: value, removal_id: value }
    await scenario.put([removed, membershipItem(scenario.provider.id, scenario.newcomer.id)])
    const before = await scenario.items()
    scenario.clock.advance((weekSeconds - 1) * 1000)
    expect(await scenario.attempt(), name).toEqual(idsOf(scenario.users))
    expect(await scenario.items()).toEqual(before)
  }))

test('a list with later marks than its end is answered: the version before has finished such', async () => {
  const scenario = await makeScenario(2)
  await removes(scenario)
  const [{ id }] = scenario.users as [User]
  const membership = membershipItem(scenario.provider.id, id)
  await scenario.put([{ ...membership, expires_at: weekFrom(scenario) + 1 }])
  expect(await scenario.attempt()).toEqual(idsOf(scenario.users))
  await scenario.put([{ ...membership, expires_at: weekFrom(scenario) - 1 }])
  expect(await scenario.attempt()).toBe('provider_not_found')
})
