import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { expect } from 'vitest'
import { userId } from '../../support/samples.ts'
import { type Changes, longestRetention, nowSeconds, removal, retainedUntil } from './valid-table.ts'

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
const huge = NumberValue.from('99999999999999999999')
const tooLong = { expires_at: longestRetention(nowSeconds * 1000) + 1000 }

/** The removal of provider 4 is finished. */
const finished: Changes = {
  P4: {
    ...{ state: 'removed', removed_at: now, expires_at: retainedUntil, affected_total: 2 },
    ...{ removal_id: expect.any(String), removal_started_at: expect.any(String) },
  },
  'M4.6': { expires_at: retainedUntil },
  U6: { saml: undefined, updated_at: now },
}

/** Faults that `--repair` repairs, some of them beside one that a person has to repair. */
export const repairable: Planted[] = [
  ['a count too high', { P1: { member_count: 7 } }, /member_count is 7, but it has 4/],
  ['a textual count', { P3: { member_count: '1' } }, /is "1", but it has 1/],
  ['an unfinished removal', { P4: { removal_started_at: '2020-01-01T00:00:00Z' } }, /at "2020/, finished],
  ['a removal in 2120', { P4: { removal_started_at: '2120-01-01T00:00:00Z' } }, /at "2120/, finished],
  ['a removal without its id', { P4: { removal_id: undefined } }, /is not finished/, finished],
  ['a membership of no provider', { 'M8.1': {} }, /there is no provider 8/],
  ['one of a user who is linked elsewhere', { 'M8.5': {} }, /there is no provider 8/],
  ['one of an unknown user', { 'M8.55': {} }, /there is no provider 8/],
  ['one with a text', { 'M8.1': { expires_at: '2030' } }, /is no provider 8/],
  ['one that expires after the longest retention', { 'M8.1': tooLong }, /no removal sets expires_at to \d/],
  ['a membership that expires', { 'M1.1': { expires_at: 4e9 } }, /expires_at is set/],
  ['a membership without mark', { 'M5.7': { expires_at: undefined } }, /5 was removed, whose list lacks it/],
  [
    'a membership that the removal did not list',
    { 'M5.7': { expires_at: 4e9 }, P5: { affected_total: 1 } },
    /5 was removed, whose list is complete without it/,
    { 'M5.7': undefined, P5: { affected_total: 1 } },
  ],
  [
    'one of a user whose sso_provider_id leads to an active provider',
    // With the fault for a person it is in no sum of faults: beside another one without mark, nobody knows which was listed.
    { 'M5.3': {}, P5: { sso: 10, name: undefined } },
    { 'M5.3': /5 was removed, whose list is complete without it/ },
    { P5: { sso: 10, name: undefined } },
    { P5: /^name is missing$/ },
  ],
  ['a link to a removed provider', { U7: { saml: 5 } }, /5, which was/, { U7: { updated_at: now } }],
  [
    'one beside a map in the place of a time',
    { U7: { saml: 5, updated_at: { is: 'kept' } } },
    /provider 5, which was removed/,
    { U7: { updated_at: { is: 'kept' } } },
    { U7: /^updated_at must be .* and is an object$/ },
  ],
  ['a link alone', saml2, /2 but has no membership/, { ...saml2, 'M2.7': {}, P2: { member_count: 3 } }],
  ['an SSO link alone', sso10, /1 but has no mem/, { ...sso10, 'M1.4': {}, P1: { member_count: 5 } }],
  ['a link alone, in removal', { U8: { saml: 4 } }, /4 but has no me/, { U8: { saml: 4 }, 'M4.8': {} }],
  [
    'a link alone, in a removal that has to list it when it is finished',
    { U8: { saml: 4 }, P4: { removal_started_at: '2020-01-01T00:00:00Z' } },
    { U8: /4 but has no membership/, P4: /at "2020/ },
    {
      ...{ ...finished, P4: { ...finished.P4, affected_total: 3 } },
      ...{ 'M4.8': finished['M4.6'], U8: { saml: undefined, updated_at: now } },
    },
  ],
  [
    'a mark of a removal that an active provider only remembers',
    { 'M1.7': { expires_at: retainedUntil }, P1: { ...removal, member_count: 5 } },
    /the user is not linked to provider 1/,
    { P1: removal },
  ],
  ['a mark of a linked user', { 'M4.6': { expires_at: retainedUntil } }, /set, but the user is linked/],
  [
    'memberships of an unknown user and of an unlinked one',
    { 'M1.55': {}, 'M1.7': {} },
    { 'M1.55': /no such user/, 'M1.7': /not linked to provider 1/, P1: /member_count is 4, but it has 6/ },
  ],
]

const inUpperCase = userId(1).replace('8000', 'ABCD')
const foreign = /the service does not write items with such a key, which begins/
const interrupted: Changes = {
  ...{ U4: { saml: 8 }, U7: { saml: 8, sso: 98 }, U6: { sso: 98 }, 'M8.6': {}, 'M8.7': {}, 'M8.8': {} },
  ...{ 'M2.4': undefined, P2: { member_count: 1 } },
}

const forPerson: [name: string, changes: Changes, left: Found][] = [
  ['no fault', {}, {}],
  ['items of other programs', { 'INVOICE#1 INVOICE': {}, [`USER#${userId(1)} SESSION#1`]: {} }, {}],
  ['an active provider that expires', { P2: { expires_at: 4e9 } }, /must be absent while it is/],
  ['a removed provider that stays', { P5: { expires_at: undefined } }, /must be \d+ while/],
  ['a user who expires', { U7: { expires_at: 4e9 } }, /TTL deletes the user/],
  ['a user who expires at a huge number', { U7: { expires_at: huge } }, /TTL deletes the user/],
  [
    'a removed provider that lacks a membership',
    { 'M5.7': undefined },
    { P5: /lists 2 users, but only 1 memb/ },
  ],
  [
    'memberships of providers with one SSO provider',
    { P2: { sso: 10, member_count: 3 }, 'M2.7': {}, P1: { member_count: 5 }, 'M1.7': {} },
    /^the sso_provider_id 10 is also that of PROV/,
  ],
  ['a user id in upper case', { [`USER#${inUpperCase} USER`]: {} }, /its user id is not in lower case/],
  ['a membership of "01"', { [`SAML_PROVIDER#01 USER#${userId(1)}`]: {} }, foreign],
  ['a provider id that is too short', { 'SAML_PROVIDERS PROVIDER#7': {} }, foreign],
  ['a missing field', { U1: { principal_name: undefined } }, /principal_name is missing/],
  ['a wrong type in a list', { U4: { roles: [{ id: 'x' }] } }, /roles.id must be a whole/],
  ['a list of something else', { U4: { roles: [5] } }, /^roles must be a list of objects/],
  ['a wrapper', { U7: { first_name: { string: 'x', valid: true } } }, /cannot read first_name/],
  ['no room for a removal', { P2: { more: 'x'.repeat(408_400) } }, /^only \d+ bytes/],
  ['an unknown state', { P3: { state: 'retired' } }, /^state must be active/],
  ['a name twice', { P2: { name: 'provider-1' } }, /also that of PROVIDER#0000000001/],
  [
    'more memberships without mark than the list lacks',
    { 'M5.7': { expires_at: undefined }, 'M5.8': {} },
    { 'M5.7': /lacks only some/, 'M5.8': /lacks only some/, P5: /but only 1 memberships have/ },
  ],
  ['a malformed retained_until', { P5: { retained_until: 'x' } }, /is malformed/],
  ['an import that just began', { U7: { saml: 8 } }, { P8: /but 1 user is linked to it: an import of/ }],
  ['an interrupted import', interrupted, { P8: /^there is no such provider, but 4 users are linked to it/ }],
  ['a link to what a removal has left', { U7: { saml: 6 } }, /6, which was removed and does not exist/],
  ['a link that is a map', { U1: { saml: { int32: 1, valid: true } } }, /cannot read saml_provider_id/],
  ['an SSO link that is a text', { U3: { sso: '10' } }, /sso_provider_id must/],
  ['an unreadable link of a member', { U7: { saml: '8' }, 'M8.7': {} }, /saml_provider_id must be a w/],
  ['an unreadable SSO provider', { P1: { sso: [10] } }, /must be a/],
  ['one SSO provider twice', { P2: { sso: 10 } }, /^the sso_provider_id 10 is also that of PROV/],
  ['one SSO provider twice, in removal', { P4: { sso: 10 } }, /^the sso_provider_id 10 is also that of PROV/],
  ['a link to an active provider and a removed one', { P5: { sso: 10 } }, {}],
]

/** Faults that a person has to repair. */
export const notRepairable = forPerson.map(
  ([name, changes, left]): Planted => [name, changes, {}, changes, left],
)
