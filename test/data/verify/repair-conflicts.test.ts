import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { findFaults } from '../../../infra/data/verify/find-faults.ts'
import { repair } from '../../../infra/data/verify/repair.ts'
import { type Item, membershipItem, providerItem, userItem } from '../../../lib/store/items.ts'
import { itemBytes } from '../../../infra/dynamodb/item-size.ts'
import { nameOf } from '../../support/put-items.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { never, scenario } from '../scenario.ts'
import { validItems } from './valid-table.ts'

/** A fault, and what another writer writes between its detection and its repair. */
const conflicts: [string, Item, Item][] = [
  ['the user of a membership appears', membershipItem(1, userId(55)), userItem(sampleUser(55, { saml: 1 }))],
  ['the user of a membership is linked', membershipItem(1, userId(7)), userItem(sampleUser(7, { saml: 1 }))],
  [
    'the user without a membership is unlinked',
    userItem(sampleUser(7, { saml: 2 })),
    userItem(sampleUser(7)),
  ],
  [
    'the user without a membership is linked elsewhere',
    userItem(sampleUser(7, { saml: 2 })),
    userItem(sampleUser(7, { saml: 3 })),
  ],
  [
    'the user of a membership is linked to its provider, which does not exist',
    membershipItem(8, userId(7)),
    userItem(sampleUser(7, { saml: 8 })),
  ],
  ['the provider of a membership appears', membershipItem(8, userId(1)), providerItem(sampleProvider(8), 1)],
  [
    'a membership that expires becomes a mark',
    { ...membershipItem(1, userId(1)), expires_at: 4e9 },
    inState(1, 'removing'),
  ],
  [
    'a provider without a membership is removed',
    userItem(sampleUser(7, { saml: 2 })),
    inState(2, 'removing'),
  ],
  ['a provider with a stray membership is removed', membershipItem(1, userId(7)), inState(1, 'removing')],
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

test.each(conflicts)('repairs nothing when %s meanwhile', async (_, faulty, change) => {
  const s = await scenario()
  const items = validItems(s.clock.nowMs())
  await s.put(...items.values())
  await s.put(faulty)
  const { faults } = await s.clock.moving(findFaults(s.data, () => {}, never))
  const found = faults.filter(({ place }) => place === nameOf(faulty))
  expect(found).toHaveLength(1)
  await s.put(change)
  const before = await s.items()
  for (const { repair: one } of found)
    expect(one && (await s.clock.moving(repair(s.data, one, never)))).toMatch(/^an item has changed/)
  expect(await s.items()).toEqual(before)
})

test('repairs a member although another service changes what is beside it meanwhile', async () => {
  const s = await scenario()
  await s.put(withSecret({ digest: 'old' }))
  const { faults } = await s.clock.moving(findFaults(s.data, () => {}, never))
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
  const { faults } = await s.clock.moving(findFaults(s.data, () => {}, never))
  expect(faults).toEqual([expect.objectContaining({ problem: 'the service writes roles in another form' })])
  for (const { repair: one } of faults)
    expect(one && (await repair(s.data, one, never))).toMatch(/^Item size .* maximum/)
})

test('removes a link to a removed provider, and leaves a map in the place of updated_at to a person', async () => {
  const s = await scenario()
  const updated_at = { is: 'kept' }
  await s.put(...validItems(s.clock.nowMs()).values())
  await s.put({ ...userItem(sampleUser(7, { saml: 5 })), updated_at })
  const { faults } = await s.clock.moving(findFaults(s.data, () => {}, never))
  for (const { repair: one } of faults) if (one) expect(await repair(s.data, one, never)).toBeUndefined()
  const { saml_provider_id, ...user } = userItem(sampleUser(7))
  expect(await s.items()).toContainEqual({ ...user, updated_at })
})
