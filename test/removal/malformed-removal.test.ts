import { describe, expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import type { User } from '../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../lib/store/items.ts'
import { boundaryValues, sampleUser } from '../support/samples.ts'
import { explore } from './explorer.ts'
import { idsOf, type Scenario, scenarioFactory } from './scenario.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'

const makeScenario = scenarioFactory()
const weekSeconds = 7 * 86_400
const weekFrom = ({ clock }: Scenario) => Math.ceil(clock.nowMs() / 1000) + weekSeconds
const isoNow = ({ clock }: Scenario, laterMs = 0) => new Date(clock.nowMs() + laterMs).toISOString()
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
  test('with a malformed retained_until gets a new one', () =>
    withEach([...boundaryValues, absent], async (retained_until, name) => {
      const scenario = await halfWay({ retained_until })
      const repaired = { ...unfinished, state: 'removed', retained_until: weekFrom(scenario) }
      expect(await removes(scenario, name), name).toMatchObject(repaired)
    }))

  const otherTypes = boundaryValues.filter(([, value]) => typeof value !== 'string')
  test.each([
    ['removal_id', otherTypes, () => anyId],
    ['removal_started_at', boundaryValues, isoNow],
  ])('with a malformed %s keeps its marks', (attribute, values, valid) =>
    withEach([...values, absent], async (value, name) => {
      const scenario = await halfWay({ [attribute]: value })
      const repaired = { ...unfinished, state: 'removed', [attribute]: valid(scenario) }
      expect(await removes(scenario, name), name).toMatchObject(repaired)
      expect(scenario.logged).toContainEqual(
        expect.objectContaining({ event: 'users_unlinked', newly_unlinked: 1 }),
      )
      expect(scenario.logged.map(({ event }) => event)).not.toContain('removal_started')
    }),
  )

  test.each([
    [300_000, 'keeps it'],
    [300_001, 'gets a new one'],
  ])('with a removal_started_at that is %i ms ahead %s', async (aheadMs, outcome) => {
    const removal_started_at = isoNow(await makeScenario(0), aheadMs)
    const scenario = await halfWay({ removal_started_at })
    const kept = outcome === 'keeps it' ? removal_started_at : isoNow(scenario)
    expect(await removes(scenario)).toMatchObject({
      ...unfinished,
      removal_started_at: kept,
      state: 'removed',
    })
  })

  test('whose retention is over is finished without a list', async () => {
    const scenario = await halfWay({ retained_until: 1 })
    const startMs = scenario.clock.nowMs()
    expect(await scenario.attempt()).toBe('provider_not_found')
    const { item, linked } = await scenario.state()
    expect([item.state, item.expires_at, linked]).toEqual(['removed', 1, []])
    expect(scenario.clock.nowMs()).toBe(startMs)
  })

  test('lists a member whom a late mark with a later end has met', async () => {
    const scenario = await makeScenario(2, { provider: { ...unfinished, retained_until: 'soon' } })
    const [{ id }] = scenario.users as [User]
    let batches = 0
    const late: Plan = async ({ operation, send }) => {
      // The first batch unlinks the users, and the second one marks them.
      if (operation === 'BatchExecuteStatement' && ++batches === 2)
        await withoutPlan(() =>
          scenario.put([{ ...membershipItem(scenario.provider.id, id), expires_at: 2_000_000_000 }]),
        )
      return send()
    }
    const all = idsOf(scenario.users)
    expect(await withPlan(late, () => scenario.attempt())).toEqual(all)
    expect(await scenario.attempt()).toEqual(all)
  })

  test('is repaired once by two clients at the same time', async () => {
    const scenario = await halfWay({ retained_until: 'soon', removal_id: 5, removal_started_at: null })
    const all = idsOf(scenario.users)
    expect(await Promise.all([scenario.attempt(), scenario.attempt()])).toEqual([all, all])
    await removes(scenario)
  })
})

const notCounts = [...boundaryValues, absent].filter(([, value]) => value !== 0)
test.each(notCounts)('a malformed member_count is unknown: %s', async (_, value) => {
  const { provider } = await makeScenario(0)
  const record = providerRecordOf({ ...providerItem(provider, 2), member_count: value })
  expect(record).toMatchObject({ memberCount: undefined })
})

test('a removed provider with a malformed removal is answered as long as it is stored', () =>
  withEach(boundaryValues, async (value, name) => {
    const scenario = await makeScenario(2)
    await scenario.put([{ ...(await removes(scenario)), retained_until: value, removal_id: value }])
    const before = await scenario.items()
    scenario.clock.advance(100 * weekSeconds * 1000)
    expect(await scenario.attempt(), name).toEqual(idsOf(scenario.users))
    expect(await scenario.items()).toEqual(before)
  }))
