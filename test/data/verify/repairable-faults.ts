import { NumberValue } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../../lib/store/items.ts'
import { nameOf } from '../../support/put-items.ts'
import { userId } from '../../support/samples.ts'
import { change, changed, changedIn, membership, type PlantedFault, provider, user } from './planting.ts'
import { daySeconds, longestRetention } from './valid-table.ts'

const longAgo = (nowMs: number) => Math.floor(nowMs / 1000) - 30 * daySeconds
const zoned = '2024-03-01T09:00:00+01:00'

/** Faults that `--repair` repairs. */
export const repairable: PlantedFault[] = [
  changed('a user id other than in the key', user(4), { id: userId(1) }, /writes id in another form/),
  changed('a provider id other than in the key', provider(2), { id: 5 }, /writes id in another form/),
  changed('a time with a zone', user(4), { created_at: zoned }, /writes created_at/),
  changedIn('a null in the secret', user(4), 'AuthSecret.deleted_at', null, /writes AuthSecret.deleted_at/),
  changedIn('a role without permissions', user(1), 'roles.0.permissions', undefined, /\].permissions/),
  changedIn(
    'a zone in a permission',
    user(4),
    'roles.0.permissions.0.created_at',
    zoned,
    /s roles\[0\].permissions\[0\].created_at in/,
  ),
  {
    name: 'more than one write can repair',
    plant: items => {
      const [role] = (items.get(nameOf(user(4))) as Item).roles as Item[]
      const roles = Array.from({ length: 25 }, (_, id) => ({ ...role, id, created_at: zoned }))
      change(items, user(4), { roles })
    },
    found: [
      [user(4), /writes roles\[0\].created_at, .* roles\[19\].created_at in/],
      [user(4), /writes roles\[20\].created_at, .* roles\[24\].created_at in/],
    ],
  },
  changed('a count too high', provider(1), { member_count: 7 }, /member_count is 7, but it has 4/),
  changed('a textual count', provider(3), { member_count: '1' }, /is "1", but it has 1/),
  changed('an active provider that expires', provider(2), { expires_at: 4e9 }, /must be absent while it is/),
  changed('a removed provider that stays', provider(5), { expires_at: undefined }, /must be \d+ while/),
  changed('an unfinished removal', provider(4), { removal_started_at: '2020-01-01T00:00:00Z' }, /at "2020/),
  changed('a removal in 2120', provider(4), { removal_started_at: '2120-01-01T00:00:00Z' }, /at "2120/),
  changed('a removal without its id', provider(4), { removal_id: undefined }, /is not finished/),
  changed('a user who expires', user(7), { expires_at: 4e9 }, /TTL deletes the user/),
  changed(
    'a user who expires at a number that JavaScript would round',
    user(7),
    { expires_at: NumberValue.from('99999999999999999999') },
    /TTL deletes the user/,
  ),
  changed('a membership of no provider', membership(8, 1), {}, /there is no provider 8/),
  {
    name: 'memberships of no provider, of a user who is linked elsewhere and of an unknown one',
    plant: items => {
      change(items, membership(8, 5), {})
      change(items, membership(8, 55), {})
    },
    found: [5, 55].map(n => [membership(8, n), /there is no provider 8/]),
  },
  changed('a text in one of no provider', membership(8, 1), { expires_at: '2030' }, /is no provider 8/),
  {
    name: 'a membership of no provider that expires after the longest retention',
    plant: (items, nowMs) => change(items, membership(8, 1), { expires_at: longestRetention(nowMs) + 1000 }),
    found: [[membership(8, 1), /there is no provider 8, and no removal sets expires_at to \d+/]],
  },
  changed('a membership that expires', membership(1, 1), { expires_at: 4e9 }, /expires_at is set/),
  changed('a membership without mark', membership(5, 7), { expires_at: undefined }, /5 was removed/),
  changed('a link to a removed provider', user(7), { saml_provider_id: 5 }, /provider 5, which was removed/),
  {
    name: 'a link to a removed provider, and a map in the place of a time',
    plant: items => change(items, user(7), { saml_provider_id: 5, updated_at: { is: 'kept' } }),
    found: [
      [user(7), /^updated_at must be .* and is {"is":"kept"}$/, 'person'],
      [user(7), /provider 5, which was removed/],
    ],
  },
  changed('a link without a membership', user(7), { saml_provider_id: 2 }, /2 but has no membership/),
  changed('an SSO link without one', user(4), { sso_provider_id: 10 }, /1 but has no membership/),
  changed('a link without one, in removal', user(8), { saml_provider_id: 4 }, /4 but has no membership/),
  {
    name: 'a mark of a user who is linked',
    plant: (items, nowMs) =>
      change(items, membership(4, 6), { expires_at: Math.floor(nowMs / 1000) + daySeconds }),
    found: [[membership(4, 6), /expires_at is set, but the user is linked/]],
  },
  {
    name: 'a user who was deleted by hand',
    plant: items => void items.delete(nameOf(user(9))),
    found: [[membership(3, 9), /there is no such user/]],
  },
  {
    name: 'a membership that was deleted by hand',
    plant: items => void items.delete(nameOf(membership(2, 4))),
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
