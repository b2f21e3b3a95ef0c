import { plainOf } from '../../../infra/data/records/plain.ts'
import { userShape } from '../../../lib/domain/resources.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { ndjson } from '../scenario.ts'

export const user = sampleUser(1)
export const plain = plainOf(userShape, user)
export const line = (changes: object) => ndjson({ ...user, ...changes })
const without = (name: keyof typeof user) => {
  const { [name]: _, ...rest } = user
  return ndjson(rest)
}
const good = ndjson(sampleUser(9))

const huge = Buffer.alloc(10 * 1024 * 1024, 'é')
const joined = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map(part => Buffer.from(part)))

/** Records that an import refuses, with the fault that it reports. */
export const vectors: [name: string, string | Buffer, fault: string | RegExp][] = [
  ['a line that is not JSON', `nonsense\n${good}`, '1: the text is not JSON: expected a value'],
  ['a line that is cut off', `${good}{"id":"x`, '2: the text is not JSON: expected a string value'],
  ['text that is not UTF-8', joined(good, Buffer.from([0x7b, 0xff, 0x7d, 0x0a])), '2: the text is not UTF-8'],
  ['a line with two values without a comma', '{"a":[1 2]}\n', "1: the text is not JSON: expected ','"],
  ['a line with a comma too many', '{"a":[1,]}\n', "1: the text is not JSON: unexpected token ']'"],
  ['a tab in a text', '{"id":"\t"}\n', '1: the text is not JSON: a character is not escaped as JSON does it'],
  ['a field that occurs twice', `${good}{"id":{"a":1,"b":{},"a":1}}\n`, '2: "a" occurs twice in an object'],
  [
    'a value that is nested 100,000 deep',
    `${good}{"roles":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`,
    '2: a value is nested deeper than 100 levels',
  ],
  ['a list instead of a record, in an array', '[[1]]', '1: a record must be an object, and is [1]'],
  ['a number instead of a record, in an array', '[\n1]', '2: a record must be an object, and is 1'],
  [
    "a line of COPY's text format",
    `{"principal_name":"\\\\"Ada\\\\""}\n`,
    "1: the text is not JSON: expected ','; COPY doubles backslashes: write the file with psql -qAt -f FILE.sql",
  ],
  ["COPY's null", '\\N\n', /^1: the text is not JSON: expected a value; COPY doubles backslashes: /],
  ['a line that is not an object', `[1]\n`, /^1: a record must be an object/],
  [
    'a record that is neither a provider nor a user',
    ndjson({ id: 1, title: 'x' }),
    '1: the record has the fields of neither a provider nor a user',
  ],
  [
    'a record that is both a provider and a user',
    ndjson({ ...sampleProvider(1), ...user }),
    '1: the record has the fields of neither a provider nor a user',
  ],
  ['an id that is no UUID', line({ id: userId(1).slice(1) }), /^1: id must be a UUID, and is "0/],
  [
    'an id of 64 bits',
    ndjson(sampleProvider(1)).replace('"id":1', '"id":9007199254740993'),
    /^1: id must be a whole number of at most/,
  ],
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
    '1: roles must be a list of objects, and is {}; first_name must be text or null, and is 7; ' +
      'last_login must be an ISO 8601 time such as 2026-01-31T09:30:00.000Z or null, and is "yesterday"; ' +
      'is_disabled must be true or false, and is "no"',
  ],
  [
    'a wrong type inside a list',
    line({ roles: [{ ...user.roles[0], id: '1' }] }),
    '1: roles.id must be a whole number of at most 9007199254740991, and is "1"',
  ],
  [
    'a wrapper with a value of a wrong type',
    line({ first_name: { string: 5, valid: true } }),
    '1: first_name must be text or null, and is {"string":5,"valid":true}',
  ],
  [
    'a wrapper without its value',
    line({ first_name: { valid: true } }),
    '1: first_name must be text or null, and is {"valid":true}',
  ],
  ['a day that does not exist', line({ last_login: '2026-02-30T00:00:00Z' }), /^1: last_login/],
  ['half of a surrogate pair', line({ principal_name: '\ud800' }), /^1: principal_name must be text/],
  ['a missing field', without('principal_name'), '1: principal_name is missing'],
  ['null for a required value', line({ is_disabled: null }), /^1: is_disabled must/],
  [
    'a provider that was deleted',
    ndjson({ ...sampleProvider(1), deleted_at: '2026-01-31T09:30:00Z' }),
    '1: deleted_at is set: a deleted provider is not imported, nor is a user with a link to it',
  ],
  ['a record of 10 MB in one line', joined(good, '{"a":"', huge), '2: the record is longer than 2 MB'],
  [
    'a link to an unknown provider',
    ndjson(sampleUser(1, { saml: 7 })),
    '1: saml_provider_id names the provider 7, which is neither in the table nor in the input',
  ],
  [
    'one provider twice',
    ndjson(sampleProvider(1), { ...sampleProvider(1), name: 'x' }),
    '2: the provider 1 is already in the input',
  ],
  [
    'one name twice',
    ndjson(sampleProvider(1), { ...sampleProvider(2), name: 'provider-1' }),
    '2: the name "provider-1" is that of the provider 1',
  ],
]

/** Files of which nothing is read, with the sentence; for a text with a fault its line and reason. */
export const unreadable: [name: string, text: string | Buffer, fault: string][] = [
  ['an array that is cut off', `[${good},\n{"id":`, '3: the text is not JSON: expected a value'],
  [
    'something after the end of an array',
    `[${good}]\nmore`,
    '3: the text is not JSON: unexpected characters',
  ],
  ['an element that is not JSON', `[{"id":,},\n${good}]`, '1: the text is not JSON: expected a value'],
  ['elements without a comma', `[${good} ${good}]`, "2: the text is not JSON: expected ','"],
  ['a comma after the last element', `[${good},]`, "2: the text is not JSON: unexpected token ']'"],
  ['a field that occurs twice', `[{"id":1,\n"id":1}]`, '2: "id" occurs twice in an object'],
  ['text that is not UTF-8', joined(`[${good}`, Buffer.from([0xff])), '2: the text is not UTF-8'],
  ['a record of 10 MB', joined('[\n{"a":"', huge, `"},\n${good}]`), '2: the record is longer than 2 MB'],
  ['deep lists', `{"data":{"users":[\n${'['.repeat(100_000)}`, '2: a value is nested deeper than 100 levels'],
]
