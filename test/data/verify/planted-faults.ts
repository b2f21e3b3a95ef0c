import type { Item } from '../../../lib/store/items.ts'
import { membershipKey, type Key, providerKey, userKey } from '../../../lib/store/keys.ts'
import { userId } from '../../support/samples.ts'
import { daySeconds, type Items, placeOf } from './valid-table.ts'

/** A fault that is planted into a valid table. */
export interface PlantedFault {
  name: string
  plant(items: Items, nowMs: number): void
  /** The keys of the faults that are found, and their descriptions. */
  found: [Key, RegExp][]
}

const change = (items: Items, key: Key, values: Item) => {
  const item: Item = { ...key, ...items.get(placeOf(key)), ...values }
  for (const name in values) if (values[name] === undefined) delete item[name]
  items.set(placeOf(key), item)
}

const user = (n: number) => userKey(userId(n))
const membership = (providerId: number, n: number) => membershipKey(providerId, userId(n))
const provider = providerKey
const longAgo = (nowMs: number) => Math.floor(nowMs / 1000) - 30 * daySeconds

const changed = (name: string, key: Key, values: Item, problem: RegExp): PlantedFault => ({
  name,
  plant: items => change(items, key, values),
  found: [[key, problem]],
})

const item = (PK: string, SK: string): Key => ({ PK, SK })
const foreign = /the service does not write items with such a key/

/** Faults that a person has to repair. */
export const notRepairable = [
  changed('an item of another program', item('INVOICE#1', 'INVOICE'), {}, foreign),
  changed('a user id in upper case', item(user(1).PK.replace('8000', 'ABCD'), 'USER'), {}, foreign),
  changed('a membership of "01"', item('SAML_PROVIDER#01', membership(1, 1).SK), {}, foreign),
  changed('a provider id that is too short', item('SAML_PROVIDERS', 'PROVIDER#7'), {}, foreign),
  changed('a missing field', user(1), { principal_name: undefined }, /principal_name is missing/),
  changed('a wrong type', user(1), { is_disabled: 'no' }, /is_disabled must be true or false/),
  changed('a wrong type in a list', user(4), { roles: [{ id: 'x' }] }, /roles.id must be a whole number/),
  changed('a wrapper', user(7), { first_name: { string: 'x', valid: true } }, /cannot read first_name/),
  changed('a name that is a number', provider(2), { name: 5 }, /name must be text/),
  changed('an unknown state', provider(3), { state: 'retired' }, /^state must be active/),
  changed('no state', provider(3), { state: undefined }, /^state must be active/),
  changed('a name twice', provider(2), { name: 'provider-1' }, /also that of PROVIDER#0000000001/),
  changed(
    'a removed provider with a malformed retained_until',
    provider(5),
    { retained_until: 'x' },
    /is malformed: it/,
  ),
  changed('a link to no provider', user(7), { saml_provider_id: 8 }, /provider 8, which does not exist/),
]

export const repairable: PlantedFault[] = [
  changed('a user id other than in the key', user(4), { id: userId(1) }, /writes id in another form/),
  changed('a provider id other than in the key', provider(2), { id: 5 }, /writes id in another form/),
  changed('a time with a zone', user(4), { created_at: '2024-03-01T09:00:00+01:00' }, /writes created_at/),
  changed('a zero time', user(9), { deleted_at: '0001-01-01T00:00:00Z' }, /writes deleted_at/),
  changed('a null', user(7), { first_name: null }, /writes first_name/),
  changed('a count too high', provider(1), { member_count: 7 }, /member_count is 7, but it has 4/),
  changed(
    'a count that is a string',
    provider(3),
    { member_count: '1' },
    /member_count is "1", but it has 1/,
  ),
  changed('no count', provider(3), { member_count: undefined }, /member_count is null, but it has 1/),
  changed('an active provider that expires', provider(2), { expires_at: 4e9 }, /must be absent while it is/),
  changed(
    'a removed provider that does not expire',
    provider(5),
    { expires_at: undefined },
    /must be \d+ while it is/,
  ),
  changed(
    'an unfinished removal',
    provider(4),
    { removal_started_at: '2020-01-01T00:00:00.000Z' },
    /at "2020/,
  ),
  changed(
    'a removal that begins in 2120',
    provider(4),
    { removal_started_at: '2120-01-01T00:00:00.000Z' },
    /at "2120/,
  ),
  changed('a removal without its id', provider(4), { removal_id: undefined }, /is not finished/),
  changed('a membership of no provider', membership(8, 1), {}, /there is no provider 8/),
  changed('a membership that expires', membership(1, 1), { expires_at: 4e9 }, /expires_at is set/),
  changed(
    'a membership without a mark',
    membership(5, 7),
    { expires_at: undefined },
    /provider 5 was removed/,
  ),
  changed('a link to a removed provider', user(7), { saml_provider_id: 5 }, /provider 5, which was removed/),
  changed(
    'a link without a membership',
    user(7),
    { saml_provider_id: 2 },
    /provider 2 but has no membership/,
  ),
  changed(
    'an SSO link without a membership',
    user(4),
    { sso_provider_id: 10 },
    /provider 1 but has no membership/,
  ),
  changed(
    'a link without a membership, in removal',
    user(8),
    { saml_provider_id: 4 },
    /provider 4 but has no membership/,
  ),
  {
    name: 'a mark of a user who is linked',
    plant: (items, nowMs) =>
      change(items, membership(4, 6), { expires_at: Math.floor(nowMs / 1000) + daySeconds }),
    found: [[membership(4, 6), /expires_at is set, but the user is linked/]],
  },
  {
    name: 'a user who was deleted by hand',
    plant: items => void items.delete(placeOf(user(9))),
    found: [[membership(3, 9), /there is no such user/]],
  },
  {
    name: 'a membership that was deleted by hand',
    plant: items => void items.delete(placeOf(membership(2, 4))),
    found: [
      [user(4), /linked to provider 2 but has no membership/],
      [provider(2), /member_count is 2, but it has 1/],
    ],
  },
  {
    name: 'memberships of an unknown user and of an unlinked one',
    plant: items => {
      change(items, membership(1, 55), {})
      change(items, membership(1, 7), {})
    },
    found: [
      [membership(1, 55), /there is no such user/],
      [membership(1, 7), /the user is not linked to provider 1/],
      [provider(1), /member_count is 4, but it has 6/],
    ],
  },
  {
    name: 'a removed provider that expired long ago',
    plant: (items, nowMs) => {
      const expired = { expires_at: longAgo(nowMs) }
      change(items, provider(5), { ...expired, retained_until: expired.expires_at })
      for (const n of [7, 77]) change(items, membership(5, n), expired)
    },
    found: [provider(5), membership(5, 7), membership(5, 77)].map(key => [
      key,
      /has expired and was not deleted/,
    ]),
  },
  {
    name: 'a membership that expired long ago',
    plant: (items, nowMs) => change(items, membership(6, 7), { expires_at: longAgo(nowMs) }),
    found: [[membership(6, 7), /has expired and was not deleted/]],
  },
]
