import type { Key } from '../../../lib/store/keys.ts'
import { nameOf } from '../../support/put-items.ts'
import { change, changed, membership, type PlantedFault, provider, user } from './planting.ts'

const item = (PK: string, SK: string): Key => ({ PK, SK })
const foreign = /the service does not write items with such a key/

/** Faults that a person has to repair. */
export const notRepairable: PlantedFault[] = [
  changed('an item of another program', item('INVOICE#1', 'INVOICE'), {}, foreign),
  changed('a user id in upper case', item(user(1).PK.replace('8000', 'ABCD'), 'USER'), {}, foreign),
  changed('a membership of "01"', item('SAML_PROVIDER#01', membership(1, 1).SK), {}, foreign),
  changed('a provider id that is too short', item('SAML_PROVIDERS', 'PROVIDER#7'), {}, foreign),
  changed('a missing field', user(1), { principal_name: undefined }, /principal_name is missing/),
  changed('a wrong type in a list', user(4), { roles: [{ id: 'x' }] }, /\[0\].id must be a whole/),
  changed('a list of something else', user(4), { roles: [5] }, /^roles must be a list of objects/),
  changed('a wrapper of null', user(7), { last_name: { string: '', valid: false } }, /cannot read last_name/),
  changed('an id that is a map', user(7), { id: { is: 1 } }, /cannot read id/),
  changed('a wrapper', user(7), { first_name: { string: 'x', valid: true } }, /cannot read first_name/),
  changed('no room for a removal', provider(2), { more: 'x'.repeat(408_400) }, /^only \d+ bytes/),
  changed('an unknown state', provider(3), { state: 'retired' }, /^state must be active/),
  changed('a name twice', provider(2), { name: 'provider-1' }, /also that of PROVIDER#0000000001/),
  changed('a malformed retained_until', provider(5), { retained_until: 'x' }, /is malformed/),
  {
    name: 'an interrupted import, before the first membership',
    plant: items => change(items, user(7), { saml_provider_id: 8 }),
    found: [[provider(8), /^there is no such provider, but 1 user is linked to it: an import of provider 8/]],
  },
  {
    name: 'an interrupted import of users with links of each kind',
    plant: items => {
      change(items, user(4), { saml_provider_id: 8 })
      change(items, user(7), { saml_provider_id: 8, sso_provider_id: 98 })
      change(items, user(6), { sso_provider_id: 98 })
      for (const n of [6, 7, 8]) change(items, membership(8, n), {})
      items.delete(nameOf(membership(2, 4)))
      change(items, provider(2), { member_count: 1 })
    },
    found: [[provider(8), /^there is no such provider, but 4 users are linked to it/]],
  },
  changed(
    'a link to a provider of which memberships are left',
    user(7),
    { saml_provider_id: 6 },
    /^it is linked to provider 6, which was removed and does not exist/,
  ),
  changed(
    'a link that is a map',
    user(1),
    { saml_provider_id: { int32: 1, valid: true } },
    /cannot read saml_prov/,
  ),
  changed('an SSO link that is a text', user(3), { sso_provider_id: '10' }, /sso_provider_id must/),
  {
    name: 'a link that cannot be read, with a membership of no provider',
    plant: items => {
      change(items, user(7), { saml_provider_id: '8' })
      change(items, membership(8, 7), {})
    },
    found: [[user(7), /saml_provider_id must be a whole/]],
  },
  changed('an unreadable SSO provider', provider(1), { sso_provider_id: [10] }, /must be a/),
  changed(
    'one SSO provider twice',
    provider(2),
    { sso_provider_id: 10 },
    /^the sso_provider_id 10 is also that of PROV/,
  ),
  changed(
    'one SSO provider twice, in removal',
    provider(4),
    { sso_provider_id: 10 },
    /^the sso_provider_id 10 is also that of PROV/,
  ),
  {
    name: 'a link to a removed and to an active provider',
    plant: items => change(items, provider(5), { sso_provider_id: 10 }),
    found: [2, 3, 5].map(n => [user(n), /linked to provider 5, which was removed, .* another provider/]),
  },
]
