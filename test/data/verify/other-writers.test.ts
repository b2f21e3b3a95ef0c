import { marshall } from '@aws-sdk/util-dynamodb'
import { describe, expect, test } from 'vitest'
import { memberships } from '../../../infra/data/membership/memberships.ts'
import { withoutPlan, type Plan, withPlan } from '../../removal/faults.ts'
import { repair } from '../../../infra/data/verify/repair.ts'
import { type Item, membershipItem, providerItem, userItem } from '../../../lib/store/items.ts'
import { itemBytes } from '../../../infra/dynamodb/item-size.ts'
import { nameOf } from '../../support/put-items.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { never, scenario } from '../scenario.ts'
import { copied, copy } from './copies.ts'
import { validItems } from './valid-table.ts'

/** A fault, and what another writer writes between its detection and its repair. */
const conflicts: [string, Item, Item][] = [
  ['the user of a membership appears', membershipItem(1, userId(55)), userItem(sampleUser(55, { saml: 1 }))],
  ['the user of a membership is linked', membershipItem(1, userId(7)), userItem(sampleUser(7, { saml: 1 }))],
  ['a user without a membership is unlinked', userItem(sampleUser(7, { saml: 2 })), userItem(sampleUser(7))],
  [
    'a user without one is linked elsewhere',
    userItem(sampleUser(7, { saml: 2 })),
    userItem(sampleUser(7, { saml: 3 })),
  ],
  ['the user gets a link to no provider', membershipItem(8, userId(7)), userItem(sampleUser(7, { saml: 8 }))],
  ['the provider of a membership appears', membershipItem(8, userId(1)), providerItem(sampleProvider(8), 1)],
  ['an expiry becomes a mark', { ...membershipItem(1, userId(1)), expires_at: 4e9 }, inState(1, 'removing')],
  ['a provider without one is removed', userItem(sampleUser(7, { saml: 2 })), inState(2, 'removing')],
  ['a provider with a stray membership is removed', membershipItem(1, userId(7)), inState(1, 'removing')],
  ['the missing membership appears', userItem(sampleUser(7, { saml: 2 })), membershipItem(2, userId(7))],
  ['the elements of a list move', withRoles(1, 2), withRoles(2, 1)],
  ['the secret is replaced', withSecret({ id: 1 }), withSecret({ id: 2 })],
]

/** A user with roles whose `created_at` has a zone. */
function withRoles(...ids: number[]): Item {
  const { roles, ...user } = userItem(sampleUser(7))
  const [role] = roles as Item[]
  return { ...user, roles: ids.map(id => ({ ...role, id, created_at: '2024-03-01T09:00:00+01:00' })) }
}

/** A user with a secret whose `deleted_at` is a stored null. */
function withSecret(values: Item): Item {
  const { AuthSecret, ...user } = userItem(sampleUser(7))
  return { ...user, AuthSecret: { ...(AuthSecret as Item), deleted_at: null, ...values } }
}

function inState(providerId: number, state: string): Item {
  return { ...providerItem(sampleProvider(providerId, providerId === 1 ? 10 : undefined), 9), state }
}

describe('verify with other writers', () => {
  test.each([1, 2, 3, 4])('finds no fault when users are linked and erased at scan %i', async at => {
    const s = await scenario()
    await s.put(...validItems(s.clock.nowMs()).values())
    const plan: Plan = async ({ n, operation, send }) => {
      if (operation === 'Scan' && n === at + 1)
        await withoutPlan(async () => {
          const { link, erase } = memberships(s.data)
          expect(await link(userId(7), { samlProviderId: 2, ssoProviderId: 10 })).toBe('linked')
          expect(await erase(userId(1))).toBe('erased')
        })
      return send()
    }
    expect((await withPlan(plan, () => s.find())).result.faults).toEqual([])
  })

  test('reads an apparent fault again, because it may be half of a transaction', async () => {
    const s = await scenario()
    await s.put(...validItems(s.clock.nowMs()).values())
    let reads = 0
    const plan: Plan = async ({ operation, send }) => {
      const reply = await send()
      const items = (reply.output.Responses ?? reply.output) as Record<string, Item[]>
      // Neither the scan nor the first read after it returns the memberships.
      const isIncomplete = operation === 'Scan' || (operation === 'BatchGetItem' && reads++ === 0)
      if (isIncomplete) for (const name of Object.keys(items)) items[name] = withoutMemberships(items[name])
      return reply
    }
    expect((await withPlan(plan, () => s.find())).result.faults).toEqual([])
    expect(reads).toBe(2)
  })
})

const withoutMemberships = (items: Item[] | undefined) =>
  Array.isArray(items)
    ? items.filter(({ PK }) => !String(PK).startsWith('SAML_PROVIDER#1'))
    : (items as never)

test('repairs nothing when what a repair depends on changes meanwhile', async () => {
  const s = await scenario()
  const tables = conflicts.map(([, faulty]) => {
    const items = validItems(s.clock.nowMs())
    return items.set(nameOf(faulty), faulty)
  })
  await s.put(...tables.flatMap(copied))
  const { faults } = await s.find()
  await s.put(...conflicts.map(([, , change], n) => copy(change, n)))
  const before = await s.items()
  for (const [n, [name, faulty]] of conflicts.entries()) {
    const found = faults.filter(({ place }) => place === nameOf(copy(faulty, n)))
    expect(found, name).toHaveLength(1)
    for (const { repair: one } of found)
      expect(one && (await s.clock.moving(repair(s.data, one, never))), name).toMatch(/^an item has changed/)
  }
  expect(await s.items()).toEqual(before)
})

test('repairs a member although another service changes what is beside it meanwhile', async () => {
  const s = await scenario()
  await s.put(withSecret({ digest: 'old' }))
  const { faults } = await s.find()
  await s.put(withSecret({ digest: 'new', totp_secret: 'x' }))
  for (const { repair: one } of faults)
    expect(one && (await s.clock.moving(repair(s.data, one, never)))).toBeUndefined()
  const { AuthSecret, ...user } = userItem(sampleUser(7))
  expect(await s.items()).toEqual([
    { ...user, AuthSecret: { ...(AuthSecret as Item), digest: 'new', totp_secret: 'x' } },
  ])
})

test('does not repair an item that would be too large, and says so', async () => {
  const s = await scenario()
  const { roles, ...user } = userItem(sampleUser(7))
  const free = 409_600 - itemBytes(marshall({ ...user, other: '' }))
  await s.put({ ...user, other: 'x'.repeat(free - 4) })
  const { faults } = await s.find()
  expect(faults).toEqual([expect.objectContaining({ problem: 'the service writes roles in another form' })])
  for (const { repair: one } of faults)
    expect(one && (await repair(s.data, one, never))).toMatch(/^Item size .* maximum/)
})
