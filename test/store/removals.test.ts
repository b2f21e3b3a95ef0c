import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import type { Item } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { outputOf, type Plan, replyOf, withPlan } from '../support/test-client.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal

test.each<[string, Item | undefined, string | undefined]>([
  ['is absent', undefined, 'r'],
  ['is active', { state: 'active', removal_id: 'r' }, 'r'],
  ['is removed', { state: 'removed', removal_id: 'r' }, 'r'],
  ['has another id', { state: 'removing', removal_id: 'newer' }, 'r'],
  ['has an id where there was none', { state: 'removing', removal_id: 'newer' }, undefined],
  ['has no id any more', { state: 'removing', removal_id: 5 }, 'r'],
])('no removal begins or goes on when its provider %s', async (_, stored, id) => {
  const w = await world()
  if (stored !== undefined) await w.put({ ...providerItem(sampleProvider(7), 0), ...stored })
  await w.put(userItem(sampleUser(1, { saml: 7 })), membershipItem(7, userId(1)))
  const before = await w.items()
  const { begin, finish, unlinker } = removalStore(openTable(w.client, w.tableName, w.clock))
  const removal = { id, startedAtMs: 0, retainedUntil: 1 }
  const found = { resource: sampleProvider(7), memberCount: 0, removal, removedAtMs: 0 }
  const provider = { ...found, state: 'removing' as const }
  expect(await unlinker(provider)([userId(1)], never)).toBeUndefined()
  expect(await finish(provider, 0, 0, never)).toBeUndefined()
  if (stored?.state !== 'active')
    expect(await begin(7, { ...removal, id: 'new' }, 'me', never)).toBeUndefined()
  expect(await w.items()).toEqual(before)
})

test('the members of a removed provider have nobody whose membership is gone and still in a Query', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
  await w.remove(7)
  const late: Plan = async ({ operation, send }) => {
    const reply = await send()
    if (operation !== 'Query') return reply
    const Items = [...outputOf(reply).Items, marshall(membershipItem(7, userId(2)))]
    return replyOf({ Items, Count: Items.length })
  }
  expect((await withPlan(late, () => w.remove(7))).ids()).toEqual([userId(1)])
  expect(w.loggedAs('membership_drift')).toEqual([])
})

test('a batch of which nothing is processed is attempted eight times', async () => {
  const w = await world()
  let sent = 0
  const unprocessed: Plan = async ({ body: { RequestItems } }) => {
    const [[name, { Keys = [] }] = expect.unreachable()] = Object.entries(
      RequestItems as Record<string, { Keys?: unknown[] }>,
    )
    const left = ++sent === 1 ? Keys.slice(1) : Keys
    return replyOf({ Responses: { [name]: [] }, UnprocessedKeys: { [name]: { Keys: left } } })
  }
  const { users } = removalStore(openTable(w.client, w.tableName, w.clock))
  const reading = withPlan(unprocessed, () => w.clock.moving(users([userId(1), userId(2)], never)))
  await expect(reading).rejects.toMatchObject({ code: 'table_busy' })
  expect(sent).toBe(1 + 8)
})
