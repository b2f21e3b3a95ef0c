import { Buffer } from 'node:buffer'
import { beforeAll, expect, test } from 'vitest'
import type { ApiAnswer, ApiRequest } from '../../lib/http/request.ts'
import { accepted } from '../auth/token/vectors/accepted.ts'
import { badClaims, badFormat, badHeader, forged } from '../auth/token/vectors/refused.ts'
import { atSigningTime, good, trusted } from '../auth/token/vectors/fixtures.ts'
import {
  accepts,
  authorization,
  forbids,
  invalidToken,
  noCredentials,
  refuses,
  sendRaw,
  untouched,
} from './scenario.ts'

const service = untouched({ ISSUERS: JSON.stringify(trusted) })
const scope = 'saml-providers:read saml-providers:delete'
const token = good.sign({ scope })
atSigningTime()

const basic = `Basic ${Buffer.from('admin:admin').toString('base64')}`

test.each<[string, ...string[]]>([
  ['no header'],
  ['an empty header', ''],
  ['another scheme', basic],
  ['a scheme with the prefix Bearer', `BearerX ${token}`],
  ['a tab after the scheme', `Bearer\t${token}`],
  ['another scheme first in the line', `${basic}, Bearer ${token}`],
])('with %s there is no bearer credential', (_, ...lines) =>
  refuses(service(), authorization(...lines), noCredentials),
)

test('a credential in another header is ignored', () =>
  refuses(service(), { headers: [['Proxy-Authorization', `Bearer ${token}`]] }, noCredentials))

test.each<[string, ...string[]]>([
  ['no token', 'Bearer'],
  ['two tokens', `Bearer ${token} ${token}`],
  ['two lines', `Bearer ${token}`, `Bearer ${token}`],
  ['two lines, the first of another scheme', basic, `Bearer ${token}`],
  ['two lines, the last of another scheme', `Bearer ${token}`, basic],
  ['two in one list', `Bearer ${token}, Bearer ${token}`],
  ['a parameter after it', `Bearer ${token};x=1`],
  ['a token with padding', `Bearer ${token}==`],
  ['a token with a letter outside ASCII', `Bearer ${token}é`],
])('a bearer credential with %s is refused', (_, ...lines) =>
  refuses(service(), authorization(...lines), invalidToken),
)

test('credentials in two lines whose names differ in case are refused', () => {
  const headers: [string, string][] = ['Authorization', 'authorization'].map(name => [
    name,
    `Bearer ${token}`,
  ])
  return refuses(service(), { headers }, invalidToken)
})

test('credentials in any other part of the event are ignored', async () => {
  const credentials = { access_token: token, authorization: `Bearer ${token}` }
  const answers = await sendRaw(service(), { headers: [] }, event => {
    event.multiValueHeaders = { 'Content-Type': ['application/x-www-form-urlencoded'] }
    event.body = `access_token=${token}`
    event.queryStringParameters = event.stageVariables = credentials
    event.multiValueQueryStringParameters = { access_token: [token] }
    const claims = { sub: 'admin', scope }
    event.requestContext.authorizer = { principalId: 'admin', claims }
  })
  expect(answers).toEqual(await sendRaw(service(), { headers: [] }, () => {}))
  expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(Array(2).fill('credentials_missing'))
})

test.each(['bEaReR', ' Bearer   '])('the scheme %j is accepted', scheme =>
  accepts(service(), authorization(`${scheme} ${token} `)),
)

test('the header name in lower case, as in HTTP/2, is accepted', () =>
  accepts(service(), { headers: [['authorization', `Bearer ${token}`]] }))

test("an event of API Gateway's console without headers has no credentials", async () => {
  const answers = await sendRaw(service(), { headers: [] }, event => {
    event.multiValueHeaders = null as unknown as ApiRequest['multiValueHeaders']
  })
  expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(Array(2).fill('credentials_missing'))
})

// Every vector is tested at the verifier; here, whole requests are.
const sample = (vectors: object): [string, string][] => Object.entries(vectors).filter((_, n) => n % 9 === 0)
const refused = [badFormat, badHeader, badClaims, forged].flatMap(sample)

test.each(refused)('%s is refused by both endpoints', (_, rejected) =>
  refuses(service(), { token: rejected }, invalidToken),
)

test.each(sample(accepted))('%s is valid, and lacks only the scope', (_, valid) =>
  forbids(service(), { token: valid }),
)

/** API Gateway's limit. A regular expression with catastrophic backtracking would exceed the test's time limit. */
const sizeBytes = 10_240
const long = (unit: string) => unit.repeat(sizeBytes / unit.length)

test.each<[string, ...string[]]>([
  ['dots', `Bearer ${long('.')}`],
  ['blanks', `Bearer ${long(' ')}x y`],
  ['a good token and more', `Bearer ${token}${long('A')}`],
  ['a thousand lines', ...Array.from({ length: 1_000 }, () => `Bearer ${token}`)],
])('a huge credential of %s is refused as any other', (_, ...lines) =>
  refuses(service(), authorization(...lines), invalidToken),
)

test.each([
  ['Prefer', long('"')],
  ['Prefer', `wait="${long('\\')}`],
  ['Prefer', long('x;')],
  ['Prefer', `wait${long(' ')}x`],
  ['Prefer', `wait=${long('\t')}`],
  ['Accept-Encoding', long('x,')],
  ['Accept-Encoding', `x${long(';q=0')}`],
  ...['Prefer', 'Accept-Encoding'].map(name => [name, ...Array(1_000).fill('x-0; y="z"')]),
] as [string, ...string[]][])('10 KB of one header change nothing: %s: %.20s', (name, ...values) =>
  changesNothing(event => {
    event.multiValueHeaders[name] = values
  }),
)

const others = Array.from({ length: 1_000 }, (_, i) => `s${i}`).join(' ')

test('a scope after a thousand others is found', () =>
  accepts(service(), { token: good.sign({ scope: `${others} ${scope}` }) }))

test.each([others, '__proto__ constructor has size'])('the scopes %.30s give no access', granted =>
  forbids(service(), { token: good.sign({ scope: granted }) }),
)

test('a request body is not read, and changes nothing', async () => {
  let reads = 0
  await changesNothing(event => {
    Object.defineProperty(event, 'body', { get: () => void reads++ })
    event.multiValueHeaders['Content-Type'] = ['application/json']
    event.multiValueHeaders['Content-Encoding'] = ['gzip']
  })
  expect(reads).toBe(0)
})

const request = authorization(`Bearer ${token}`)
let unchanged: ApiAnswer[]
beforeAll(async () => {
  unchanged = await sendRaw(service(), request, () => {})
  expect(unchanged.map(({ statusCode }) => statusCode)).toEqual([200, 404])
})

/** Expects that the changed request gets the same answer as the unchanged one. */
async function changesNothing(change: (event: ApiRequest) => void) {
  expect(await sendRaw(service(), request, change)).toEqual(unchanged)
}
