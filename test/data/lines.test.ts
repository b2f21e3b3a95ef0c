import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readFiles } from '../../infra/data/import/read-files.ts'
import type { User } from '../../lib/domain/resources.ts'
import { namedPipe, temporaryFile } from '../support/machine.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { ndjson, scenario } from './scenario.ts'

const [provider, user] = [sampleProvider(1, 10), sampleUser(1, { saml: 1 })]

test('an import names each fault by line and member before it writes', async () => {
  const s = await scenario()
  const lines = ndjson(
    { ...user, first_name: 5, last_name: { string: 5, valid: true }, is_disabled: null },
    sampleUser(2, { saml: 1 }),
    sampleUser(2),
    sampleUser(3, { saml: 7 }),
    sampleUser(4, { saml: 7, sso: 10 }),
    { ...sampleUser(5), id: `urn:uuid:${userId(5)}`, roles: [{ ...user.roles[0], id: 2 ** 53 }] },
    {
      ...sampleUser(6),
      last_login: '2016-12-31T23:59:60.000Z',
      saml_provider_id: 2 ** 31,
      sso_provider_id: { int32: 10 },
    },
    { ...sampleUser(7), principal_name: 'x'.repeat(400_000) },
    { ...provider, name: 5 },
    sampleProvider(3, 30),
    { ...sampleProvider(4, 30), name: sampleProvider(3).name },
    { ...sampleProvider(5), deleted_at: { time: '2024-03-01T08:00:00Z', valid: true } },
    { data: { users: [] } },
  )
  const latin1 = Buffer.from(ndjson({ ...sampleUser(8), principal_name: 'ÿ' }), 'latin1')
  const path = temporaryFile(Buffer.concat([Buffer.from(`${lines}nonsense\n`), latin1]))
  // A command that has failed leaves an empty file.
  expect(await s.import([path, temporaryFile('\n')])).toEqual([
    '1: /first_name/string must be string',
    '1: /last_name/string must be string',
    '1: /is_disabled must be boolean',
    '3: /id is in an earlier line, too',
    '6: /id must match format "uuid"',
    '6: /roles/*/id must match format "int64"',
    '7: /saml_provider_id/int32 must match format "int32"',
    "7: /sso_provider_id must have required property 'valid'",
    '7: /last_login must match format "date-time"',
    '8: the line has more than 400000 bytes',
    '9: /name must be string',
    '11: /name is in an earlier line, too',
    '11: /sso_provider_id is in an earlier line, too',
    '12: /deleted_at the provider is deleted: leave it out, and the links of its users',
    '13: it has neither the idp_issuer_uri of a provider nor the principal_name of a user',
    '14, 15: the line is no JSON object in UTF-8',
    ' the file is empty',
    '4, 5: /saml_provider_id there is no provider 7: add it, or take the link from all its users',
  ])
  expect(await s.items()).toEqual([])
})

test('an import names the first three places of a repeated fault', async () => {
  const s = await scenario()
  const roles = [{}, {}].map(() => ({ ...user.roles[0], name: 5 }))
  const lines = Array.from({ length: 5 }, (_, n) => ({ ...sampleUser(n, { saml: 1 }), roles }))
  expect(await s.import(temporaryFile(ndjson(...lines, provider)))).toEqual([
    '1, 2, 3 and 2 more: /roles/*/name must be string',
  ])
})

test('an import refuses files without a provider', async () => {
  const s = await scenario()
  expect(await s.import(temporaryFile(ndjson(sampleUser(1))))).toEqual([' no file has a provider'])
  expect(await s.items()).toEqual([])
})

test('an import takes the forms that databases and other APIs have', async () => {
  const s = await scenario()
  const id = userId(1).replace('8000', 'ABCD')
  const role = user.roles[0] as User['roles'][number]
  const deleted = { ...role, id: 2, deleted_at: { Time: '2024-03-01T08:00:00.123456Z', Valid: true } }
  const given = {
    ...user,
    ...{
      id,
      nickname: 'Ada',
      AuthSecret: null,
      roles: [{ ...role, deleted_at: null, permissions: null }, deleted],
    },
    ...{ first_name: 'Ada', last_name: null, saml_provider_id: 1, sso_provider_id: null },
    created_at: '2024-03-01T08:00:00.123456Z',
    updated_at: '2024-03-01T09:00:00+01:00',
    deleted_at: { Time: '0001-01-01T00:00:00Z', Valid: false },
    last_login: '0001-01-01T00:00:00+00:00',
    environment_targeted_access_control: [{ user_id: id, environment_id: 'a line\u2028in a text' }],
  }
  const other = {
    ...sampleUser(2),
    last_name: '',
    roles: null,
    AuthSecret: undefined,
    deleted_at: '2024-03-01T08:00:00.5Z',
  }
  const bom = '\ufeff'
  const asGiven = { principal_attribute_mappings: null, updated_at: '2024-03-01T09:00:00+01:00' }
  const text = `${bom}${ndjson(given, other)}\n${ndjson({ ...provider, ...asGiven })}`
  expect(await s.import(temporaryFile(text.replaceAll('\n', '\r\n')))).toEqual([])
  const lower = id.toLowerCase()
  const shown = { ...deleted, deleted_at: { time: '2024-03-01T08:00:00.123Z', valid: true } }
  await s.has(
    [{ ...provider, principal_attribute_mappings: [], updated_at: '2024-03-01T08:00:00.000Z' }],
    [
      {
        ...user,
        ...{ id: lower, AuthSecret: undefined, roles: [{ ...role, permissions: [] }, shown] },
        first_name: { string: 'Ada', valid: true },
        created_at: '2024-03-01T08:00:00.123Z',
        updated_at: '2024-03-01T08:00:00.000Z',
        last_login: '0001-01-01T00:00:00Z',
        environment_targeted_access_control: [{ user_id: lower, environment_id: 'a line\u2028in a text' }],
      },
      {
        ...sampleUser(2),
        ...{ AuthSecret: undefined, last_name: { string: '', valid: true }, roles: [] },
        deleted_at: { time: '2024-03-01T08:00:00.500Z', valid: true },
      },
    ],
  )
})

test.each([
  ['a folder', () => import.meta.dirname, 'is no regular file'],
  ['a pipe', namedPipe, 'is no regular file'],
  ['a compressed file', () => temporaryFile(gzipSync('')), 'is compressed'],
])('an import refuses %s, which cannot be read twice as lines', async (_, path, sentence) => {
  const s = await scenario()
  await expect(s.import(path())).rejects.toThrow(sentence)
})

test('an import is interrupted between two lines', async () => {
  const interruption = new AbortController()
  const { lines } = readFiles([temporaryFile('a\nb\n')], interruption.signal)
  await lines.next()
  interruption.abort(new Error('Interrupted.'))
  await expect(lines.next()).rejects.toThrow('Interrupted.')
})
