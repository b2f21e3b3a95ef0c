import { expect, test } from 'vitest'
import { plainOf } from '../../../infra/data/export.ts'
import { userShape } from '../../../lib/domain/resources.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
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

test.each(vectors)('an import refuses with the place and the reason: %s', async (_, text, fault) => {
  const s = await scenario()
  const { told } = await s.import(text, { dryRun: true })
  expect(told).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
})

test('an import accepts unknown fields, bare values, other times, absent links, and ids in upper case', async () => {
  const s = await scenario()
  const bare = (n: number) => plainOf(userShape, sampleUser(n))
  const withoutLinks = Object.entries(bare(4)).filter(([name]) => !/provider_id/.test(name))
  const id = '5a3d1c9e-7b42-4f06-9d18-c0ffee000001'
  const inUpperCase = {
    ...sampleUser(5),
    id,
    environment_targeted_access_control: [
      { user_id: id, environment_id: 'one' },
      { user_id: 'Another', environment_id: 'two' },
    ],
  }
  const records = ndjson(
    { ...sampleUser(1), shoe_size: 43, roles: [{ ...user.roles[0], colour: 'red' }] },
    bare(2),
    { ...sampleUser(3), created_at: '2024-03-01T09:00:00.000000+01:00' },
    Object.fromEntries(withoutLinks),
    inUpperCase,
  )
  const { told } = await s.import(records.replaceAll(id, id.toUpperCase()))
  expect(told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([], [...[1, 2, 3, 4].map(n => sampleUser(n)), inUpperCase]))
})
