import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { plainOf } from '../../../infra/data/export.ts'
import { providerItem, userItem } from '../../../infra/data/table/items.ts'
import { itemBytes } from '../../../infra/dynamodb/item-size.ts'
import { userShape } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { nameOf } from '../../support/put-items.ts'
import { int32, sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'

const user = sampleUser(1)
const line = (changes: object) => ndjson({ ...user, ...changes })
const good = ndjson(sampleUser(9))
const remedy = 'write one record a line, as jq -c does'

const huge = Buffer.alloc(10 * 1024 * 1024, 'é')
const joined = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map(part => Buffer.from(part)))

/** Records that an import refuses, with the fault that it reports. */
const vectors: [name: string, string | Buffer, fault: string | RegExp][] = [
  ['a line that is not JSON', `nonsense\n${good}`, `1: the line is not JSON: ${remedy}`],
  ['a line that is cut off', `${good}{"id":"x`, /^2: the line is not JSON from character \d+ on: /],
  [
    'a line that is not UTF-8',
    joined(good, Buffer.from([0x7b, 0xff, 0x7d, 0x0a])),
    '2: the line is not UTF-8',
  ],
  [
    'a value that is nested 100,000 deep',
    `${good}${line({}).replace('"roles":', `"roles":${'['.repeat(100_000)}${']'.repeat(100_000)},"other":`)}`,
    '2: roles must be a list of objects, and is a list',
  ],
  [
    'an array',
    `[${good.trim()}]\n`,
    "1: a record must be an object, and is a list: write one record a line, as jq -c '.data.users[]' does",
  ],
  [
    'a record that is neither a provider nor a user',
    ndjson({ id: 1, title: 'x' }),
    '1: the record has the fields of neither a provider nor a user',
  ],
  ['an id that is no UUID', line({ id: userId(1).slice(1) }), '1: id must be a UUID, and is a text'],
  [
    "a provider's id of 33 bits",
    ndjson({ ...sampleProvider(1), id: 2_147_483_648 }),
    '1: id must be a whole number from 1 to 2147483647, and is 2147483648',
  ],
  [
    'a link of 64 bits',
    line({ saml_provider_id: 4_294_967_296 }),
    '1: saml_provider_id must be a whole number of 32 bits or null, and is a number',
  ],
  [
    'wrong types, all at once',
    line({ is_disabled: 'no', last_login: 'yesterday', first_name: 7, roles: {} }),
    '1: roles must be a list of objects, and is an object; first_name must be text or null, and is a number; ' +
      'last_login must be an ISO 8601 time such as 2026-01-31T09:30:00.000Z or null, and is a text; ' +
      'is_disabled must be true or false, and is a text',
  ],
  [
    'a wrong type inside a list',
    line({ roles: [{ ...user.roles[0], id: '1' }] }),
    '1: roles.id must be a whole number of at most 9007199254740991, and is a text',
  ],
  [
    'a wrapper with a value of a wrong type',
    line({ first_name: { string: 5, valid: true } }),
    '1: first_name must be text or null, and is an object',
  ],
  ['half of a surrogate pair', line({ principal_name: '\ud800' }), /^1: principal_name must be text/],
  ['a missing field', line({ principal_name: undefined }), '1: principal_name is missing'],
  ['null for a required value', line({ is_disabled: null }), /^1: is_disabled must/],
  [
    'a provider that was deleted',
    ndjson({ ...sampleProvider(1), deleted_at: '2026-01-31T09:30:00Z' }),
    '1: deleted_at is set: a deleted provider is not imported, nor is a user with a link to it',
  ],
  ['a line of 10 MB', joined(good, '{"a":"', huge), '2: the line is longer than 2 MB'],
]

test.each(vectors)('an import refuses %s', async (_, text, fault) => {
  const { told } = await (await scenario()).import(text, { dryRun: true })
  expect(told).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
})

test('an import accepts other forms of the same values', async () => {
  const s = await scenario()
  const bare = (n: number) => plainOf(userShape, sampleUser(n))
  const withoutLinks = Object.entries(bare(4)).filter(([name]) => !/provider_id/.test(name))
  const id = '5a3d1c9e-7b42-4f06-9d18-c0ffee000001'
  const access = [id, 'Another'].map(user_id => ({ user_id, environment_id: 'one' }))
  const inUpperCase = { ...sampleUser(5), id, environment_targeted_access_control: access }
  const records = ndjson(
    { ...sampleUser(1), shoe_size: 43, roles: [{ ...user.roles[0], colour: 'red' }] },
    bare(2),
    { ...sampleUser(3), created_at: '2024-03-01T09:00:00.000000+01:00' },
    Object.fromEntries(withoutLinks),
    inUpperCase,
  )
  await s.accepts(records.replaceAll(id, id.toUpperCase()))
  await s.has([], [...[1, 2, 3, 4].map(n => sampleUser(n)), inUpperCase])
})

const bytesMax = 409_600
/** The text that brings an item to this size; the embedded engine counts each of its characters as a byte. */
const filling = (item: Item, bytes: number) => 'x'.repeat(bytes - itemBytes(marshall(item)))

// Without numbers, whose size DynamoDB gives only roughly.
const userOfSize = (bytes: number) => {
  const user = { ...sampleUser(1), AuthSecret: undefined, roles: [], principal_name: '' }
  return { ...user, principal_name: filling(userItem(user), bytes) }
}
const providerOfSize = (bytes: number) => {
  const provider = { ...sampleProvider(1), display_name: '' }
  return {
    ...provider,
    display_name: `…${filling(providerItem(provider, Number.MAX_SAFE_INTEGER), bytes - 3)}`,
  }
}

test('an import refuses an item that is one byte too large', async () => {
  const s = await scenario()
  const tooLarge = userOfSize(bytesMax + 1)
  const { told } = await s.import([tooLarge, providerOfSize(bytesMax - 999), sampleUser(2)])
  expect(told).toEqual([
    '1: its item has 409601 bytes, and may have 409600',
    '2: its item has 408601 bytes, and may have 408600, because its removal adds up to 1000',
  ])
  await expect(s.put(userItem(tooLarge))).rejects.toThrow(/size/i)
  expect(await s.items()).toEqual([])
  const [provider, user] = [providerOfSize(bytesMax - 1000), userOfSize(bytesMax)]
  await s.accepts([provider, user, sampleUser(2)])
  await s.has([provider], [user, sampleUser(2)])
})

test('an update refuses only those whose items would become too large', async () => {
  const providers = [7, 8, 9].map(id => sampleProvider(id))
  const users = sampleUsers(60, { saml: 7 })
  const more = { other: 'x'.repeat(405_000) }
  const large = [userItem(sampleUser(30)), providerItem(sampleProvider(9), 0)].map(nameOf)
  const withMore = (items: Item[]) =>
    items.map(item => (large.includes(nameOf(item)) ? { ...item, ...more } : item))
  const s = await scenario()
  await s.put(...withMore(itemsOf(providers, users)))
  const long = 'y'.repeat(6000)
  const longer = users.map(user => ({ ...user, principal_name: long, saml_provider_id: int32(8) }))
  const renamed = { ...sampleProvider(8), display_name: 'new' }
  const records = [{ ...sampleProvider(9), display_name: long }, renamed, ...longer]
  const { told } = await s.import(records, { update: true, unlink: [7] })
  expect(told).toEqual([
    expect.stringMatching(/^1: DynamoDB does not take the provider 9: .*size/i),
    expect.stringMatching(/^33: DynamoDB does not take the user: .*size/i),
  ])
  const after = [...longer.slice(0, 30), ...users.slice(30, 31), ...longer.slice(31)]
  const expected = itemsOf([sampleProvider(7), renamed, sampleProvider(9)], after)
  expect(await s.items()).toEqual(withMore(expected))
})
