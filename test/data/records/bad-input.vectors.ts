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

interface Vector {
  name: string
  text: string | Buffer
  faults: (string | RegExp)[]
}

/** Records that an import refuses, with the faults that it reports. */
export const vectors: Vector[] = [
  { name: 'a line that is not JSON', text: `nonsense\n${good}`, faults: [/^1: the text is not JSON/] },
  { name: 'a line that is cut off', text: `${good}{"id":"x`, faults: [/^2: the text is not JSON/] },
  {
    name: 'text that is not UTF-8',
    text: Buffer.concat([Buffer.from(good), Buffer.from([0x7b, 0xff, 0x7d, 0x0a])]),
    faults: ['2: the text is not UTF-8'],
  },
  {
    name: 'an array that is cut off',
    text: `[${JSON.stringify(sampleUser(9))},\n{"id":`,
    faults: ['2: the file ends inside a record; it may be cut off'],
  },
  {
    name: 'something after the end of an array',
    text: `[${JSON.stringify(sampleUser(9))}]\nmore`,
    faults: ['2: there is more text after the end of the JSON'],
  },
  {
    name: 'an array of numbers after a record',
    text: `[${JSON.stringify(sampleUser(9))}, 1, 2]`,
    faults: ['1: a record must be an object; the rest of the file is not read'],
  },
  {
    name: 'an element that is not JSON, before another',
    text: `[{"id":,},\n${JSON.stringify(sampleUser(9))}]`,
    faults: [/^1: the text is not JSON/],
  },
  { name: 'a line that is not an object', text: `[1]\n`, faults: [/^1: a record must be an object/] },
  {
    name: 'a record that is neither a provider nor a user',
    text: ndjson({ id: 1, title: 'x' }),
    faults: ['1: the record has the fields of neither a provider nor a user'],
  },
  {
    name: 'a record that is both a provider and a user',
    text: ndjson({ ...sampleProvider(1), ...user }),
    faults: ['1: the record has the fields of neither a provider nor a user'],
  },
  {
    name: 'an id in upper case',
    text: line({ id: userId(1).replace('8000', 'ABCD') }),
    faults: [/^1: id must be a UUID in lower case, and is "0/],
  },
  {
    name: 'an id of 64 bits',
    text: ndjson(sampleProvider(1)).replace('"id":1', '"id":9007199254740993'),
    faults: [/^1: id must be a whole number of at most/],
  },
  {
    name: "a provider's id of 33 bits",
    text: ndjson({ ...sampleProvider(1), id: 2_147_483_648 }),
    faults: ['1: id must be a whole number from 1 to 2147483647, and is 2147483648'],
  },
  { name: "a provider's id of zero", text: ndjson({ ...sampleProvider(1), id: 0 }), faults: [/^1: id must/] },
  {
    name: 'a link of 64 bits',
    text: line({ saml_provider_id: 4_294_967_296 }),
    faults: ['1: saml_provider_id must be a whole number of 32 bits or null, and is 4294967296'],
  },
  {
    name: 'wrong types, all at once',
    text: line({ is_disabled: 'no', last_login: 'yesterday', first_name: 7, roles: {} }),
    faults: [
      '1: roles must be a list of objects, and is {}; first_name must be text or null, and is 7; ' +
        'last_login must be an ISO 8601 time such as 2026-01-31T09:30:00.000Z or null, and is "yesterday"; ' +
        'is_disabled must be true or false, and is "no"',
    ],
  },
  {
    name: 'a wrong type inside a list',
    text: line({ roles: [{ ...user.roles[0], id: '1' }] }),
    faults: ['1: roles.id must be a whole number of at most 9007199254740991, and is "1"'],
  },
  {
    name: 'a wrapper with a value of a wrong type',
    text: line({ first_name: { string: 5, valid: true } }),
    faults: ['1: first_name must be text or null, and is {"string":5,"valid":true}'],
  },
  {
    name: 'a wrapper without its value',
    text: line({ first_name: { valid: true } }),
    faults: ['1: first_name must be text or null, and is {"valid":true}'],
  },
  {
    name: 'a day that does not exist',
    text: line({ last_login: '2026-02-30T00:00:00Z' }),
    faults: [/^1: last_login/],
  },
  {
    name: 'half of a surrogate pair',
    text: line({ principal_name: '\ud800' }),
    faults: [/^1: principal_name must be text/],
  },
  { name: 'a missing field', text: without('principal_name'), faults: ['1: principal_name is missing'] },
  {
    name: 'null for a required value',
    text: line({ is_disabled: null }),
    faults: [/^1: is_disabled must/],
  },
  {
    name: 'an item that is too large',
    text: line({ principal_name: 'x'.repeat(410 * 1024) }),
    faults: ['1: it has 411 KB, and an item has at most 400'],
  },
  {
    name: 'a record of 10 MB in one line',
    text: Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.alloc(10 * 1024 * 1024, 'x'),
      Buffer.from(`"}\n${good}`),
    ]),
    faults: ['1: the record is longer than 2 MB'],
  },
  {
    name: 'a record of 10 MB in an array',
    text: Buffer.concat([
      Buffer.from('[\n{"a":"'),
      Buffer.alloc(10 * 1024 * 1024, 'x'),
      Buffer.from(`"},\n${JSON.stringify(sampleUser(9))}]`),
    ]),
    faults: ['2: the record is longer than 2 MB'],
  },
  {
    name: 'a link to an unknown provider',
    text: ndjson(sampleUser(1, { saml: 7 })),
    faults: ['1: saml_provider_id names the provider 7, which is neither in the table nor in the input'],
  },
  {
    name: 'one provider twice',
    text: ndjson(sampleProvider(1), { ...sampleProvider(1), name: 'x' }),
    faults: ['2: the provider 1 is already in the input'],
  },
  {
    name: 'one name twice',
    text: ndjson(sampleProvider(1), { ...sampleProvider(2), name: 'provider-1' }),
    faults: ['2: the name "provider-1" is that of the provider 1'],
  },
]
