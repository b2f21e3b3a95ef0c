import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainOf } from '../../../infra/data/records/plain.ts'
import { userShape } from '../../../lib/domain/resources.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { type DataScenario, itemsOf, ndjson, scenario } from '../scenario.ts'

const user = sampleUser(1)
const plain = plainOf(userShape, user)
const line = (changes: object) => ndjson({ ...user, ...changes })
const without = (name: keyof typeof user) => {
  const { [name]: _, ...rest } = user
  return ndjson(rest)
}
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
  ["a provider's id of zero", ndjson({ ...sampleProvider(1), id: 0 }), /^1: id must/],
  [
    'a link of 64 bits',
    line({ saml_provider_id: 4_294_967_296 }),
    '1: saml_provider_id must be a whole number of 32 bits or null, and is 4294967296',
  ],
  [
    'wrong types, all at once',
    line({ is_disabled: 'no', last_login: 'yesterday', first_name: 7, roles: {} }),
    '1: roles must be a list of objects, and is an object; first_name must be text or null, and is 7; ' +
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
  ['a missing field', without('principal_name'), '1: principal_name is missing'],
  ['null for a required value', line({ is_disabled: null }), /^1: is_disabled must/],
  [
    'a provider that was deleted',
    ndjson({ ...sampleProvider(1), deleted_at: '2026-01-31T09:30:00Z' }),
    '1: deleted_at is set: a deleted provider is not imported, nor is a user with a link to it',
  ],
  ['a line of 10 MB', joined(good, '{"a":"', huge), '2: the line is longer than 2 MB'],
  [
    'one provider twice',
    ndjson(sampleProvider(1), { ...sampleProvider(1), name: 'x' }),
    '2: the provider 1 is already in the input',
  ],
]

describe('an import refuses with the place and the reason:', () => {
  // A dry run writes nothing, so one table is enough.
  let s: DataScenario
  const cleanUps: (() => Promise<void>)[] = []
  beforeAll(async () => {
    s = await scenario(cleanUp => void cleanUps.push(cleanUp))
  })
  afterAll(() => cleanUps[0]?.())

  test.each(vectors)('%s', async (_, text, fault) => {
    const { faults } = await s.import(text, { dryRun: true })
    expect(faults).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
  })
})

describe('an import accepts', () => {
  test.each<[string, string | Buffer]>([
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(ndjson(user))])],
    ['CRLF and blank lines', `\r\n${JSON.stringify(user)}\r\n\r\n   \n`],
    ['no line end at the end', JSON.stringify(user)],
    ['unknown fields, which it omits', line({ shoe_size: 43, roles: [{ ...user.roles[0], colour: 'red' }] })],
    ['bare values in the place of wrappers', ndjson(plain)],
    ['times of another zone and precision', line({ created_at: '2024-03-01T09:00:00.000000+01:00' })],
    [
      'absent links',
      ndjson(Object.fromEntries(Object.entries(plain).filter(([name]) => !/provider_id/.test(name)))),
    ],
  ])('%s', async (_, text) => {
    const s = await scenario()
    const { faults } = await s.import(text)
    expect(faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([], [user]))
  })

  test('ids in upper case, which it writes in lower case', async () => {
    const s = await scenario()
    const id = '5a3d1c9e-7b42-4f06-9d18-c0ffee000001'
    const records = [id, id.replace('1', '2')].map((id, n) => ({
      ...sampleUser(n),
      id,
      environment_targeted_access_control: [
        { user_id: id, environment_id: 'one' },
        { user_id: 'Another', environment_id: 'two' },
      ],
    }))
    const { faults } = await s.import(ndjson(...records).replaceAll(/"5a3d[^"]*"/g, id => id.toUpperCase()))
    expect(faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([], records))
  })
})
