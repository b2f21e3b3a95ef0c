import { describe, expect, test } from 'vitest'
import { membershipItem } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { type DataScenario, filled, itemsOf, ndjson, never } from '../scenario.ts'

const update = true

/** Changes the provider 7 before each call of this operation. */
const meanwhile =
  (s: DataScenario, at: string, changes: object): Plan =>
  async ({ operation, send }) => {
    const change = async () => s.put({ ...(await s.data.table.get(providerKey(7), never)), ...changes })
    if (operation === at) await withoutPlan(change)
    return send()
  }

const before = sampleUsers(60, { saml: 7 })
const after = [...sampleUsers(58, { sso: 70 }), ...before.slice(58), sampleUser(60, { sso: 70 })]
const records = ndjson(sampleProvider(7, 70), ...after)

describe('a provider gets its first sso_provider_id', () => {
  test('and keeps its users, who move to it', async () => {
    const s = await filled([sampleProvider(7)], before)
    const { faults, counts } = await s.import(records, { update })
    expect(faults).toEqual([])
    expect(counts.usersOf.get(7)).toEqual({ join: 1, leave: 0, leftOut: 0 })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 70)], after))
    expect((await s.find()).faults).toEqual([])
  })

  test('also when one of its memberships has an expires_at by mistake', async () => {
    const s = await filled([sampleProvider(7)], before)
    const [{ id }] = before as [(typeof before)[0]]
    await s.put({ ...membershipItem(7, id), expires_at: Math.ceil(s.clock.nowMs() / 1000) })
    expect((await s.import(records, { update })).faults).toEqual([])
  })

  test('also when the import is interrupted at any write and repeated; until then, verify finds no fault', async () => {
    for (let at = 1, isInterrupted = true; isInterrupted; at++) {
      const s = await filled([sampleProvider(7)], before)
      isInterrupted = false
      let writes = 0
      const plan: Plan = async ({ operation, send }) => {
        const isWrite = !/Get|Query|Scan/.test(operation)
        if (isWrite && ++writes === at) {
          isInterrupted = true
          throw new Error('killed')
        }
        return send()
      }
      await withPlan(plan, () => s.import(records, { update })).catch(error => {
        expect(String(error)).toContain('killed')
      })
      if (isInterrupted) {
        expect((await s.find()).faults, `write ${at}`).toEqual([])
        await s.import(records, { update })
      }
      expect(await s.items(), `write ${at}`).toEqual(itemsOf([sampleProvider(7, 70)], after))
    }
  })
})

describe('a provider gets no sso_provider_id', () => {
  test('that another one has or gets', async () => {
    const s = await filled([sampleProvider(7), sampleProvider(8), sampleProvider(9, 90)], [])
    const providers = [sampleProvider(7, 70), sampleProvider(8, 70)]
    expect((await s.import(ndjson(...providers), { update })).faults).toHaveLength(2)
    expect((await s.import(ndjson(sampleProvider(7, 90)), { update })).faults).toHaveLength(1)
  })

  test.each([[sampleProvider(7)], []])(
    'of one that is being removed, nor a new one (%#)',
    async (...stored) => {
      const s = await filled([...stored, sampleProvider(8, 70)], sampleUsers(3, { sso: 70 }))
      await s.put({ ...(await s.data.table.get(providerKey(8), never)), state: 'removing' })
      const table = await s.items()
      const { faults } = await s.import(ndjson(sampleProvider(7, 70)), { update })
      expect(faults).toEqual(['1: the sso_provider_id 70 is also that of the provider 8'])
      expect(await s.items()).toEqual(table)
    },
  )

  test('that users have without a membership, until they are members', async () => {
    const count = 3
    const others = sampleUsers(count, { sso: 70 })
    const linked = [sampleUser(8, { saml: 7 }), sampleUser(9, { saml: 7, sso: 70 })]
    const s = await filled([sampleProvider(7)], [...others, ...linked])
    const table = await s.items()
    const moved = [...sampleUsers(count, { sso: 70 }), sampleUser(8, { sso: 70 }), sampleUser(9, { sso: 70 })]
    const text = ndjson(sampleProvider(7, 70), ...moved)
    const held =
      'the record of the provider 7 is not in the table, and the link of the user to it would change'
    for (const dryRun of [true, false]) {
      const { faults } = await s.import(text, { update, dryRun })
      expect(faults).toEqual([
        `1: 3 users have the sso_provider_id 70 without being linked to the provider 7: import them with saml_provider_id 7, or without sso_provider_id, before this record`,
        `${count + 2}: ${held}`,
        `${count + 3}: ${held}`,
      ])
      expect(await s.items()).toEqual(table)
    }
    await s.import(ndjson(...sampleUsers(count, { saml: 7, sso: 70 })), { update })
    expect((await s.import(text, { update })).faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 70)], moved))
  })
})

test.each([
  [{ state: 'removing' }, 'the provider 7 is being removed or was removed'],
  [{ sso_provider_id: 99 }, 'another writer has given the provider 7 another sso_provider_id meanwhile'],
])(
  'when a provider gets no first sso_provider_id, because it has %j meanwhile, its users stay',
  async (changes, reason) => {
    const s = await filled([sampleProvider(7)], before)
    const table = await s.items()
    const plan = meanwhile(s, 'TransactWriteItems', changes)
    const { result } = await withPlan(plan, () => s.import(records, { update }))
    expect(result.faults[0]).toBe(`1: ${reason}`)
    expect(result.faults).toHaveLength(60)
    expect(await s.items()).toEqual(
      table.map(item => (item.state === undefined ? item : { ...item, ...changes })),
    )
  },
)

test('when other writers change a provider all the time, so that it gets no first sso_provider_id, its users stay', async () => {
  const s = await filled([sampleProvider(7)], before)
  let changes = 0
  const plan: Plan = async call => {
    const changing = meanwhile(s, 'TransactWriteItems', { name: `name ${++changes}` })
    return changing(call)
  }
  const text = ndjson({ ...sampleProvider(7, 70), name: 'new' }, ...after)
  const { result } = await withPlan(plan, () => s.import(text, { update }))
  expect(result.faults[0]).toBe('1: other writers changed the provider 7 meanwhile: import again')
  expect(result.faults).toHaveLength(60)
  const users = (await s.items()).filter(({ SK }) => SK === 'USER')
  expect(users).toEqual(itemsOf([], before))
})
