import { describe, expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import { ageMs } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../lib/store/items.ts'
import { boundaryValues, sampleUser } from '../support/samples.ts'
import { explore } from './explorer.ts'
import { idsOf, type Scenario, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
const weekSeconds = 7 * 86_400
const weekFrom = ({ clock }: Scenario) => Math.ceil(clock.nowMs() / 1000) + weekSeconds
const isoNow = ({ clock }: Scenario, laterMs = 0) => new Date(clock.nowMs() + laterMs).toISOString()
const forEver = 253_402_300_799
const anyId = expect.stringMatching(/^[\da-f-]{36}$/)

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

describe('the user of a membership whose expires_at is not the mark of this removal is unlinked', () => {
  const expiries: typeof boundaryValues = [
    ...boundaryValues,
    ['a past time', 1_700_000_000],
    ['a future time', 4_000_000_000],
  ]

  test('when the removal begins', () =>
    withEach(expiries, async (expires_at, name) =>
      removes(await makeScenario(2, { membership: { expires_at } }), name),
    ))

  test('when the removal continues', () =>
    withEach(expiries, async (expires_at, name) => {
      const scenario = await makeScenario(2, { provider: unfinished, membership: { expires_at } })
      expect(await removes(scenario, name)).toMatchObject({ ...unfinished, state: 'removed' })
    }))
})

describe('removal attributes of an active provider', () => {
  const names = Object.keys({ ...unfinished, removed_at: '', expires_at: 0, affected_total: 0 }).filter(
    name => name !== 'state',
  )

  test('are replaced when its removal begins', () =>
    withEach(boundaryValues, async (value, name) => {
      const provider = Object.fromEntries(names.map(attribute => [attribute, value]))
      const scenario = await makeScenario(2, { provider })
      const [removal_started_at, retained_until] = [isoNow(scenario), weekFrom(scenario)]
      expect(await removes(scenario, name), name).toMatchObject({
        removal_id: anyId,
        removal_started_at,
        removed_by: 'test',
        retained_until,
        removed_at: isoNow(scenario),
      })
      expect(scenario.logged.map(({ event }) => event)).toContain('removal_finished')
    }))

  test('of a removed provider that is active again mark no membership', async () => {
    const scenario = await makeScenario(2)
    const old = await removes(scenario)
    const active = providerItem(scenario.provider, 2)
    await scenario.put([{ ...old, ...active, affected_total: undefined }, ...scenario.users.map(userItem)])
    scenario.clock.advance(1000)
    expect((await removes(scenario)).removal_id).not.toBe(old.removal_id)
  })
})

describe('an unfinished removal', () => {
  test('with a malformed retained_until is kept for ever', () =>
    withEach([...boundaryValues, absent], async (retained_until, name) => {
      const scenario = await halfWay({ retained_until })
      const ended = { ...unfinished, state: 'removed', retained_until: forEver, expires_at: forEver }
      expect(await removes(scenario, name), name).toMatchObject(ended)
    }))

  const otherTypes = boundaryValues.filter(([, value]) => typeof value !== 'string')
  test.each([
    ['removal_id', otherTypes],
    ['removal_started_at', boundaryValues],
  ])('with a malformed %s keeps it and its marks', (attribute, values) =>
    withEach([...values, absent], async (value, name) => {
      const scenario = await halfWay({ [attribute]: value })
      const { [attribute]: before } = (await scenario.state()).item
      const { [attribute]: after, state } = await removes(scenario, name)
      expect([after, state], name).toEqual([before, 'removed'])
      const events = scenario.logged.map(({ event, unlinked: n }) => `${event} ${n ?? ''}`.trim())
      expect(events.slice(0, 2)).toEqual(['removal_resumed', 'users_unlinked 2'])
    }),
  )

  test.each([
    [300_000, 300_000],
    [300_001, undefined],
  ])('that seems to begin in %i ms has an age', async (aheadMs, agoMs) => {
    const nowMs = Date.UTC(2026, 0, 31)
    const age = ageMs({ id: 'r', startedAtMs: nowMs + aheadMs, retainedUntil: 5 }, nowMs)
    expect(age).toBe(agoMs === undefined ? nowMs : -agoMs)
  })

  test('whose retention is over is finished without a list', async () => {
    const scenario = await halfWay({ retained_until: 1 })
    const startMs = scenario.clock.nowMs()
    expect(await scenario.attempt()).toBe('provider_not_found')
    const { item, linked } = await scenario.state()
    expect([item.state, item.expires_at, linked]).toEqual(['removed', 1, []])
    expect(scenario.clock.nowMs()).toBe(startMs)
  })
})

const notCounts = [...boundaryValues, absent].filter(([, value]) => value !== 0)
test.each(notCounts)('a malformed member_count is unknown: %s', async (_, value) => {
  const { provider } = await makeScenario(0)
  const record = providerRecordOf({ ...providerItem(provider, 2), member_count: value })
  expect(record).toMatchObject({ memberCount: undefined })
})

test('a removed provider with a malformed removal is answered until TTL deletes it', () =>
  withEach(boundaryValues, async (value, name) => {
    const scenario = await makeScenario(2)
    await scenario.put([{ ...(await removes(scenario)), retained_until: value, removal_id: value }])
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
