import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { expect } from 'vitest'
import { userId } from '../../support/samples.ts'
import { type Changes, removal, retainedUntil } from './valid-table.ts'

/** What is wrong with items, by their short names; or with the first changed item. */
export type Found = Record<string, RegExp> | RegExp

/** A fault that is planted into the valid table. */
export type Planted = [
  name: string,
  changes: Changes,
  /** What is repaired. */
  repaired: Found,
  /** What is changed in the valid table after the repair. */
  after?: Changes,
  /** What a person has to repair. */
  left?: Found,
]

/** A time of the repair. */
const now: unknown = expect.stringMatching(/^2026-01-31T00:00/)
const saml2 = { U7: { saml: 2 } }
const sso10 = { U4: { sso: 10 } }
/** Nobody knows which one is meant. */
const shared = /^the sso_provider_id 10 is also that of the provider/
const huge = NumberValue.from('99999999999999999999')

/** Faults that `--repair` repairs, some of them beside one that a person has to repair. */
export const repairable: Planted[] = [
  ['a count too high', { P1: { member_count: 7 } }, /member_count is 7, but it has 4/],
  ['a textual count', { P3: { member_count: '1' } }, /is "1", but it has 1/],
  ['a membership of no provider', { 'M8.1': {} }, /there is no provider 8/],
  ['one with a text', { 'M8.1': { expires_at: '2030' } }, /is no provider 8/],
  ['a membership that expires', { 'M1.1': { expires_at: 4e9 } }, /expires_at is set/],
  ['a link to a removed provider', { U7: { saml: 5 } }, /5, which was/, { U7: { updated_at: now } }],
  ['a link alone', saml2, /2 but has no membership/, { ...saml2, 'M2.7': {}, P2: { member_count: 3 } }],
  ['an SSO link alone', sso10, /1 but has no mem/, { ...sso10, 'M1.4': {}, P1: { member_count: 5 } }],
  [
    'an SSO link alone, which a removed provider had, too',
    { ...sso10, P5: { sso: 10 } },
    /1 but has no mem/,
    { ...sso10, P5: { sso: 10 }, 'M1.4': {}, P1: { member_count: 5 } },
  ],
  ['a link alone, in removal', { U8: { saml: 4 } }, /4 but has no me/, { U8: { saml: 4 }, 'M4.8': {} }],
  [
    'a mark of a removal that an active provider only remembers',
    { 'M1.7': { expires_at: retainedUntil }, P1: { ...removal, member_count: 5 } },
    /the user is not linked to provider 1/,
    { P1: removal },
  ],
  [
    'a link to a removed provider with a membership',
    { U7: { saml: 5 }, 'M5.7': { expires_at: undefined } },
    /5, which was/,
    { U7: { updated_at: now }, 'M5.7': { expires_at: undefined } },
    { 'M5.7': /must be \d+, and is null/ },
  ],
  ['a mark of a linked user', { 'M4.6': { expires_at: retainedUntil } }, /set, but the user is linked/],
  [
    'memberships of an unknown user and of an unlinked one',
    { 'M1.55': {}, 'M1.7': {} },
    { 'M1.55': /no such user/, 'M1.7': /not linked to provider 1/, P1: /member_count is 4, but it has 6/ },
  ],
]

const inUpperCase = userId(1).replace('8000', 'ABCD')
const foreign = /the service does not find an item with such a key/

const forPerson: [name: string, changes: Changes, left: Found][] = [
  ['no fault', {}, {}],
  ['items of other programs', { 'INVOICE#1 INVOICE': {}, [`USER#${userId(1)} SESSION#1`]: {} }, {}],
  ['an active provider that expires', { P2: { expires_at: 4e9 } }, /TTL deletes the item/],
  ['a removed provider that stays', { P5: { expires_at: undefined } }, /must be retained_until/],
  ['a removed provider that goes early', { P5: { expires_at: 5 } }, /must be retained_until, and is 5/],
  [
    'an interrupted import',
    {
      P2: { state: 'importing', member_count: 3 },
      'M2.4': undefined,
      'M2.7': {},
      'M2.8': { expires_at: 4e9 },
    },
    /^the import of provider 2 was interrupted/,
  ],
  ['a user who expires', { U7: { expires_at: 4e9 } }, /TTL deletes the item/],
  ['a user who expires at a huge number', { U7: { expires_at: huge } }, /TTL deletes the item/],
  [
    'memberships of providers with one SSO provider',
    { P2: { sso: 10, member_count: 3 }, 'M2.3': {}, P1: { member_count: 3 }, 'M1.2': undefined },
    shared,
  ],
  ['a user id in upper case', { [`USER#${inUpperCase} USER`]: {} }, foreign],
  ['a membership of "01"', { [`SAML_PROVIDER#01 USER#${userId(1)}`]: {} }, foreign],
  ['a provider id that is too short', { 'SAML_PROVIDERS PROVIDER#7': {} }, foreign],
  ['a missing field', { U1: { principal_name: undefined } }, /principal_name is missing/],
  ['a wrong type in a list', { U4: { roles: [{ id: 'x' }] } }, /roles.id must be a whole/],
  ['a list of something else', { U4: { roles: [5] } }, /^roles must be a list of objects/],
  ['a wrapper', { U7: { first_name: { string: 'x', valid: true } } }, /cannot read first_name/],
  ['an unknown state', { P3: { state: 'retired' } }, /^state must be importing, active/],
  [
    'memberships without mark',
    { 'M5.7': { expires_at: undefined }, 'M5.8': { expires_at: 4e9 } },
    { 'M5.7': /must be \d+, and is null/, 'M5.8': /must be \d+, and is 4/ },
  ],
  ['an unfinished removal', { P4: { removal_started_at: '2020-01-01T00:00:00Z' } }, /at "2020/],
  ['a removal in 2120', { P4: { removal_started_at: '2120-01-01T00:00:00Z' } }, /at "2120/],
  ['a removal without its id', { P4: { removal_id: undefined } }, /is not finished/],
  ['a malformed removal_id', { P5: { removal_id: 5 } }, /removal_id, .* cannot be read/],
  ['a link to no provider', { U7: { saml: 8 } }, /to provider 8, which does not exist/],
  ['a link to no provider with a membership', { U7: { saml: 8 }, 'M8.7': {} }, /8, which does not exist/],
  ['a link to what a removal has left', { U7: { saml: 6 } }, /6, which does not exist/],
  ['a link that is a map', { U1: { saml: { int32: 1, valid: true } } }, /cannot read saml_provider_id/],
  ['an SSO link that is a text', { U3: { sso: '10' } }, /sso_provider_id must/],
  ['an unreadable link of a member', { U7: { saml: '8' }, 'M8.7': {} }, /saml_provider_id must be a w/],
  ['an unreadable SSO provider', { P1: { sso: [10] } }, /must be a/],
  ['one SSO provider twice', { P2: { sso: 10 } }, shared],
  ['one SSO provider twice, in removal', { P4: { sso: 10 } }, shared],
  ['a link to an active provider and a removed one', { P5: { sso: 10 } }, {}],
]

/** Faults that a person has to repair. */
export const notRepairable = forPerson.map(
  ([name, changes, left]): Planted => [name, changes, {}, changes, left],
)
