import { describe, expect, test } from 'vitest'
import type { Item } from '../../lib/store/items.ts'
import { idsOf, type Mistake, scenarioFactory } from './scenario.ts'

describe('a removal that another writer changes between two pages', () => {
  const makePaged = scenarioFactory(0, 2)

  test.each<[string, Item]>([
    ['has no start any more', { removal_started_at: 'yesterday' }],
    ['is active again', { state: 'active' }],
    ['has another retention, as after a repair', { retained_until: 1_900_000_000 }],
  ])('is unfinished when it %s, and complete at the next DELETE', async (_, change) => {
    const scenario = await makePaged(5)
    let pages = 0
    const changed: Mistake = store => ({
      ...store,
      async mark(...page) {
        const refused = await store.mark(...page)
        if (++pages === 1) await scenario.put([{ ...(await scenario.state()).item, ...change }])
        return refused
      },
    })
    await expect(scenario.attempt(changed)).rejects.toMatchObject({ code: 'removal_unfinished' })
    const { members } = await scenario.state()
    expect(members.map(({ expiresAt }) => typeof expiresAt)).toEqual([
      ...['number', 'number', 'undefined', 'undefined', 'undefined'],
    ])
    expect(await scenario.attempt()).toEqual(idsOf(scenario.users))
    const { item, linked } = await scenario.state()
    expect([item.state, item.expires_at, linked]).toEqual(['removed', item.retained_until, []])
    expect(await scenario.attempt()).toEqual(idsOf(scenario.users))
  })
})
