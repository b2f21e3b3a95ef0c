import { Buffer } from 'node:buffer'
import { beforeAll, expect, test } from 'vitest'
import type { ApiAnswer, ApiRequest } from '../../lib/http/request.ts'
import { accepted, badClaims, badFormat, badHeader, forged } from '../auth/token/vectors.ts'
import { atSigningTime, good, trusted } from '../auth/token/fixtures.ts'
import {
  accepts,
  forbids,
  invalidToken,
  lines,
  noCredentials,
  refuses,
  sendRaw,
  untouched,
} from './scenario.ts'

const service = untouched({ ISSUERS: JSON.stringify(trusted) })
const scope = 'saml-providers:read saml-providers:delete'
const token = good.sign({ scope })
atSigningTime()

type Headers = [name: string, value: string][]
const basic = `Basic ${Buffer.from('admin:admin').toString('base64')}`
const bearer = `Bearer ${token}`
/** API Gateway's limit. A regular expression with catastrophic backtracking would exceed the test's time limit. */
const sizeBytes = 10_240
const long = (unit: string) => unit.repeat(sizeBytes / unit.length)

test.each<[string, Headers]>([
  ['no header', []],
  ['another scheme', lines(basic)],
  ['a scheme with the prefix Bearer', lines(`BearerX ${token}`)],
  ['a tab after the scheme', lines(`Bearer\t${token}`)],
  ['another scheme first in the line', lines(`${basic}, ${bearer}`)],
  ['a credential in another header', [['Proxy-Authorization', bearer]]],
])('with %s there is no bearer credential', (_, headers) => refuses(service(), { headers }, noCredentials))

test.each<[string, Headers]>([
  ['no token', lines('Bearer')],
  ['two tokens', lines(`${bearer} ${token}`)],
  ['two lines whose names differ in case', [...lines(bearer), ['authorization', bearer]]],
  ['two lines, the first of another scheme', lines(basic, bearer)],
  ['two lines, the last of another scheme', lines(bearer, basic)],
  ['a thousand lines', lines(...Array(1_000).fill(bearer))],
  ['two in one list', lines(`${bearer}, ${bearer}`)],
  ['a parameter after it', lines(`${bearer};x=1`)],
  ['padding', lines(`${bearer}==`)],
  ['a letter outside ASCII', lines(`${bearer}é`)],
  ['10 KB of dots', lines(`Bearer ${long('.')}`)],
  ['10 KB of blanks', lines(`Bearer ${long(' ')}x y`)],
  ['10 KB more', lines(`${bearer}${long('A')}`)],
])('a bearer credential with %s is refused', (_, headers) => refuses(service(), { headers }, invalidToken))

test.each<[string, Headers]>([
  ['a scheme in mixed case', lines(`bEaReR ${token}`)],
  ['blanks around scheme and token', lines(` Bearer   ${token} `)],
  ['a name in lower case, as in HTTP/2', [['authorization', bearer]]],
])('a credential with %s is accepted', (_, headers) => accepts(service(), { headers }))

test.each<[string, (event: ApiRequest) => void]>([
  [
    'credentials in its other parts',
    event => {
      const credentials = { access_token: token, authorization: bearer }
      event.multiValueHeaders = { 'Content-Type': ['application/x-www-form-urlencoded'] }
      event.body = `access_token=${token}`
      event.queryStringParameters = event.stageVariables = credentials
      event.multiValueQueryStringParameters = { access_token: [token] }
      const claims = { sub: 'admin', scope }
      event.requestContext.authorizer = { principalId: 'admin', claims }
    },
  ],
  [
    "no headers, as one of API Gateway's console,",
    event => {
      event.multiValueHeaders = null as unknown as ApiRequest['multiValueHeaders']
    },
  ],
])('an event with %s has no credentials', async (_, change) => {
  const answers = await sendRaw(service(), { headers: [] }, change)
  expect(answers).toEqual(await sendRaw(service(), { headers: [] }, () => {}))
  expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(Array(2).fill('credentials_missing'))
})

// Every vector is tested at the verifier; here, whole requests are.
const sample = (vectors: object): [string, string][] => Object.entries(vectors).filter((_, n) => n % 9 === 0)
const refused = [badFormat, badHeader, badClaims, forged].flatMap(sample)

test.each(refused)('both endpoints refuse a token: %s', (_, rejected) =>
  refuses(service(), { token: rejected }, invalidToken),
)

test.each(sample(accepted))('a token lacks only the scope: %s', (_, valid) =>
  forbids(service(), { token: valid }),
)

test.each([
  ['quotes', 'Prefer', long('"')],
  ['backslashes in quotes', 'Prefer', `wait="${long('\\')}`],
  ['parameters', 'Prefer', long('x;')],
  ['blanks before a character', 'Prefer', `wait${long(' ')}x`],
  ['tabs', 'Prefer', `wait=${long('\t')}`],
  ['codings', 'Accept-Encoding', long('x,')],
  ['weights', 'Accept-Encoding', `x${long(';q=0')}`],
  ...['Prefer', 'Accept-Encoding'].map(name => ['lines', name, ...Array(1_000).fill('x-0; y="z"')]),
] as [string, string, ...string[]][])('10 KB of %s in %s change nothing', (_, name, ...values) =>
  changesNothing(event => {
    event.multiValueHeaders[name] = values
  }),
)

test('scopes that are names of members of objects give no access', () =>
  forbids(service(), { token: good.sign({ scope: '__proto__ constructor has size' }) }))

test('a request body is not read', async () => {
  let reads = 0
  await changesNothing(event => {
    Object.defineProperty(event, 'body', { get: () => void reads++ })
    event.multiValueHeaders['Content-Type'] = ['application/json']
    event.multiValueHeaders['Content-Encoding'] = ['gzip']
  })
  expect(reads).toBe(0)
})

const request = { headers: lines(bearer) }
let unchanged: ApiAnswer[]
beforeAll(async () => {
  unchanged = await sendRaw(service(), request, () => {})
  expect(unchanged.map(({ statusCode }) => statusCode)).toEqual([200, 404])
})

/** Expects that the changed request gets the same answer as the unchanged one. */
async function changesNothing(change: (event: ApiRequest) => void) {
  expect(await sendRaw(service(), request, change)).toEqual(unchanged)
}
